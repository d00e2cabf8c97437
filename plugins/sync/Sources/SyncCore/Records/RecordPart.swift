/// A field of a record whose merge rule is not `newest`. Fields with `newest` are stored as `RecordField`s.
package struct RecordPart: Hashable, Sendable {
  package var name: String
  package var state: State

  /// The content of a field, by merge rule.
  package enum State: Hashable, Sendable {
    /// The largest value ever written.
    case largest([UInt8])
    /// The smallest value ever written.
    case smallest([UInt8])
    /// The additions of each device, sorted by device.
    case counter([Slot])
    /// The elements, sorted by value.
    case set([Element])
    /// The elements, sorted by name.
    case list([ListItem])
  }

  /// The additions of one device to a counter.
  package struct Slot: Hashable, Sendable {
    /// The device's last write that added something.
    package var dot: Dot
    /// The sum of the device's additions.
    package var total: Int64

    package init(dot: Dot, total: Int64) {
      self.dot = dot
      self.total = total
    }
  }

  /// A value in a set, with the writes that added it.
  package struct Element: Hashable, Sendable {
    package var value: [UInt8]
    /// For each device that added the value, its last such write that has not been removed. Sorted by device.
    package var dots: [Dot]

    package init(value: [UInt8], dots: [Dot]) {
      self.value = value
      self.dots = dots
    }
  }

  package init(name: String, state: State) {
    self.name = name
    self.state = state
  }

  /// The size of the field's values in bytes. Data used only for merging does not count.
  package var contentBytes: Int {
    switch state {
    case .largest(let value), .smallest(let value): value.count
    case .counter: 8
    case .set(let elements): elements.reduce(0) { $0 + $1.value.count }
    case .list(let items): items.reduce(0) { $0 + ($1.value?.count ?? 0) }
    }
  }

  /// The number of elements in a set or list. In a list, removed elements and moves count, too.
  package var elements: Int {
    switch state {
    case .set(let elements): elements.count
    case .list(let items): items.count
    default: 0
    }
  }

  package var rule: MergeRule { state.rule }
}

extension RecordPart.State {
  var rule: MergeRule {
    switch self {
    case .largest: .largest
    case .smallest: .smallest
    case .counter: .counter
    case .set: .set
    case .list: .list
    }
  }

  /// Merges the content of two copies. `left` and `right` are the writes that each copy has seen.
  static func join(_ one: Self, _ other: Self, _ left: VersionVector, _ right: VersionVector) -> Self {
    switch (one, other) {
    case (.largest(let mine), .largest(let theirs)):
      return .largest(mine.lexicographicallyPrecedes(theirs) ? theirs : mine)
    case (.smallest(let mine), .smallest(let theirs)):
      return .smallest(theirs.lexicographicallyPrecedes(mine) ? theirs : mine)
    case (.counter(let mine), .counter(let theirs)):
      return .counter(
        merge(mine, theirs, by: { $0.dot.device < $1.dot.device }) {
          ($0.dot.number, $0.total) < ($1.dot.number, $1.total) ? $1 : $0
        })
    case (.set(let mine), .set(let theirs)): return .set(joinSets(mine, theirs, left, right))
    case (.list(let mine), .list(let theirs)):
      return .list(merge(mine, theirs, by: { $0.id < $1.id }) { $0.merged(with: $1) })
    default:
      // The arbiter does not allow two rules for one field. If it happens anyway, all replicas choose the same content.
      return one.rule.rawValue < other.rule.rawValue ? other : one
    }
  }

  private static func joinSets(
    _ mine: [RecordPart.Element], _ theirs: [RecordPart.Element], _ left: VersionVector, _ right: VersionVector
  ) -> [RecordPart.Element] {
    var result: [RecordPart.Element] = []
    func keep(_ value: [UInt8], _ one: [Dot], _ other: [Dot]) {
      let dots = Dot.join(one, other, left, right)
      if !dots.isEmpty { result.append(.init(value: value, dots: dots)) }
    }
    var (i, j) = (0, 0)
    while i < mine.count || j < theirs.count {
      if j == theirs.count || (i < mine.count && mine[i].value.lexicographicallyPrecedes(theirs[j].value)) {
        keep(mine[i].value, mine[i].dots, [])
        i += 1
      } else if i == mine.count || theirs[j].value.lexicographicallyPrecedes(mine[i].value) {
        keep(theirs[j].value, [], theirs[j].dots)
        j += 1
      } else {
        keep(mine[i].value, mine[i].dots, theirs[j].dots)
        (i, j) = (i + 1, j + 1)
      }
    }
    return result
  }

  /// Merges two sorted lists. Items that are equal in this order are combined.
  static func merge<Item>(
    _ left: [Item], _ right: [Item], by precedes: (Item, Item) -> Bool, _ combine: (Item, Item) -> Item
  ) -> [Item] {
    if left.isEmpty { return right }
    if right.isEmpty { return left }
    var result: [Item] = []
    result.reserveCapacity(left.count + right.count)
    var (i, j) = (0, 0)
    while i < left.count, j < right.count {
      if precedes(left[i], right[j]) {
        result.append(left[i])
        i += 1
      } else if precedes(right[j], left[i]) {
        result.append(right[j])
        j += 1
      } else {
        result.append(combine(left[i], right[j]))
        (i, j) = (i + 1, j + 1)
      }
    }
    return result + left[i...] + right[j...]
  }
}

extension Dot {
  /// Merges two lists of writes, each sorted by device with at most one write per device. Keeps the writes that both
  /// lists contain and those that the other copy has not seen. Of two writes of one device, keeps the later one.
  static func join(_ mine: [Dot], _ theirs: [Dot], _ left: VersionVector, _ right: VersionVector) -> [Dot] {
    let kept = mine.filter { dot in theirs.contains { $0.device == dot.device } || !right.covers(dot) }
    let others = theirs.filter { dot in mine.contains { $0.device == dot.device } || !left.covers(dot) }
    return RecordPart.State.merge(kept, others, by: { $0.device < $1.device }) { $0.number < $1.number ? $1 : $0 }
  }

  /// Inserts this write into a list sorted by device, replacing the device's earlier write.
  func put(into dots: inout [Dot]) {
    let index = dots.firstIndex { $0.device >= device } ?? dots.endIndex
    if index < dots.endIndex, dots[index].device == device {
      dots[index] = self
    } else {
      dots.insert(self, at: index)
    }
  }
}
