extension Cell {
  /// Merges two copies of a cell.
  ///
  /// Of different incarnations, the later one is used. Otherwise, an entry survives if both copies contain it or if the
  /// other copy has not seen it. Entries that are outside the window are then dropped. Source: dotted version vector
  /// sets (Preguiça, Baquero et al., 2010), with a horizon.
  package static func join(_ left: Cell, _ right: Cell, windowMilliseconds: Int64) -> Cell {
    if left == right { return left }
    var context = left.context
    context.formUnion(right.context)
    if left.content.incarnation != right.content.incarnation {
      // Writes of an earlier incarnation are ignored in a later one.
      var result = left.content.incarnation > right.content.incarnation ? left : right
      result.context = context
      result.extensions = Self.joined(left.extensions, right.extensions)
      return result
    }
    var result = Cell()
    result.context = context
    if left.isRecord || right.isRecord {
      result.content = RecordContent.join(left.content, right.content, left.context, right.context)
    }
    result.horizonMilliseconds = max(left.horizonMilliseconds, right.horizonMilliseconds)
    result.fields = RecordField.merged(left.fields, right.fields)
    result.extensions = Self.joined(left.extensions, right.extensions)
    result.entries = Self.joinedEntries(left, right)
    result.dropOutdated(windowMilliseconds: windowMilliseconds)
    return result
  }

  private static func joinedEntries(_ left: Cell, _ right: Cell) -> [StateEntry] {
    var entries: [StateEntry] = []
    entries.reserveCapacity(left.entries.count + right.entries.count)
    for entry in left.entries {
      if let twin = right.entries.first(where: { $0.dot.device == entry.dot.device }) {
        entries.append(later(entry, twin))
      } else if !right.context.covers(entry.dot) {
        entries.append(entry)
      }
    }
    for entry in right.entries where !left.entries.contains(where: { $0.dot.device == entry.dot.device }) {
      if left.context.covers(entry.dot) { continue }
      let place = entries.firstIndex { $0.dot.device > entry.dot.device } ?? entries.endIndex
      entries.insert(entry, at: place)
    }
    return entries
  }

  /// Returns the later of two states written by the same device. One write can have two stamps if a server lost its
  /// data and stamped the write again; all replicas use the later stamp.
  private static func later(_ left: StateEntry, _ right: StateEntry) -> StateEntry {
    if left.dot.number != right.dot.number { return left.dot.number > right.dot.number ? left : right }
    if left.stamp != right.stamp { return left.stamp > right.stamp ? left : right }
    if left.sawEverything != right.sawEverything { return left.sawEverything ? right : left }
    return left.payload.lexicographicallyPrecedes(right.payload) ? right : left
  }

  private static func joined(_ left: [Extension], _ right: [Extension]) -> [Extension] {
    if left.isEmpty || left == right { return right }
    if right.isEmpty { return left }
    var result = left
    for part in right {
      if let place = result.firstIndex(where: { $0.tag == part.tag }) {
        if result[place].bytes.lexicographicallyPrecedes(part.bytes) { result[place] = part }
      } else {
        result.insert(part, at: result.firstIndex { $0.tag > part.tag } ?? result.endIndex)
      }
    }
    return result
  }
}
