import FlowBytes

/// One step of a list edit: inserts a value or moves an element.
struct ListStep {
  /// The preceding element, or nil for the beginning of the list.
  var after: ItemID?
  /// True to insert or move to the end of the list. `after` is then ignored.
  var isAtEnd = false
  /// The inserted value, or nil for a move.
  var value: [UInt8]?
  /// The moved element, or nil for an insertion.
  var moves: ItemID?

  private init(after: ItemID?, isAtEnd: Bool = false, value: [UInt8]? = nil, moves: ItemID? = nil) {
    self.after = after
    self.isAtEnd = isAtEnd
    self.value = value
    self.moves = moves
  }

  init(_ insertion: RecordEdit.Insertion) {
    self.init(after: insertion.after, isAtEnd: insertion.isAtEnd, value: insertion.value)
  }

  /// Returns steps for the moves of elements that are in the list. Removed and unknown elements are skipped.
  static func moves(_ moves: [RecordEdit.Move], in known: [ListItem]) -> [ListStep] {
    if moves.isEmpty { return [] }
    let present = Set(known.lazy.filter { $0.value != nil }.map(\.id))
    return moves.filter { present.contains($0.element) }.map { move in
      ListStep(after: move.after, isAtEnd: move.isAtEnd, moves: move.element)
    }
  }

  /// Returns the new elements and positions with their names. Steps with the same predecessor keep their order.
  static func items(_ steps: [ListStep], _ known: [ListItem], _ seed: UInt64) -> [ListItem] {
    var random = SplitMix64(seed: seed)
    var counter = known.map(\.id.counter).max() ?? 0
    var last = ListItem.withPlaces(known).last?.id
    // A step after a moved element refers to the position of that element.
    var places = ListItem.places(of: known)
    var latest: [ItemID?: ItemID] = [:]
    var items: [ListItem] = []
    for step in steps {
      counter += 1
      let place = step.isAtEnd ? last : step.after.map { places[$0] ?? $0 }
      let id = ItemID(counter: counter, tag: random.next())
      items.append(ListItem(id: id, after: latest[place] ?? place, value: step.value, moves: step.moves))
      latest[place] = id
      if step.isAtEnd || place == last { last = id }
      if let moved = step.moves { places[moved] = id }
    }
    return items
  }

  /// Returns the fewest steps that turn one list into another; the longest common subsequence stays unchanged. A value
  /// that only changes its position is moved, so that two devices that reorder a list do not duplicate it.
  static func difference(from items: [ListItem], to values: [[UInt8]]) -> (steps: [ListStep], remove: [ItemID]) {
    let shown = items.filter { $0.value != nil }
    let changes = values.difference(from: shown.map { $0.value ?? [] }).inferringMoves()
    var (remove, taken): ([ItemID], Set<ItemID>) = ([], [])
    for case .remove(let offset, _, let target) in changes.removals {
      taken.insert(shown[offset].id)
      if target == nil { remove.append(shown[offset].id) }
    }
    var kept = shown.filter { !taken.contains($0.id) }.map { Optional($0.id) }
    var steps: [ListStep] = []
    for case .insert(let offset, let value, let source) in changes.insertions {
      // The previous step does not have a name yet, so this step names the same predecessor. Steps with the same
      // predecessor keep their order.
      let after = offset == 0 ? nil : kept[offset - 1]
      if let source {
        steps.append(ListStep(after: after, moves: shown[source].id))
      } else {
        steps.append(ListStep(after: after, value: value))
      }
      kept.insert(after, at: offset)
    }
    return (steps, remove.sorted())
  }
}
