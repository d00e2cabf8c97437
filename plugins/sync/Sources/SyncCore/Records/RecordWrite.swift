/// The part of a write that changes a record of a collection, except for its `newest` fields.
package struct RecordWrite: Hashable, Sendable {
  /// The incarnation that the author changed. An author that saw the record deleted starts the next incarnation.
  package var incarnation: Int64
  /// True if the write deletes the record. With `edit-wins`, a write that its author had not seen keeps the record.
  package var isDeletion: Bool
  /// The changes to fields with rules other than `newest`, sorted by name.
  package var changes: [Change]

  package struct Change: Hashable, Sendable {
    package var name: String
    package var kind: Kind

    package init(name: String, kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  /// A change, by the merge rule of its field.
  package enum Kind: Hashable, Sendable {
    /// Raises the value to this one if it is smaller.
    case largest([UInt8])
    /// Lowers the value to this one if it is larger.
    case smallest([UInt8])
    /// Adds to a counter.
    case add(Int64)
    /// Adds values to a set and removes elements that its author had seen.
    case elements(add: [[UInt8]], remove: [RecordPart.Element])
    /// Inserts elements and positions of moved elements into a list, and removes elements.
    case items(insert: [ListItem], remove: [ItemID])
  }

  package init(incarnation: Int64 = 0, isDeletion: Bool = false, changes: [Change] = []) {
    self.incarnation = incarnation
    self.isDeletion = isDeletion
    self.changes = changes.sorted { $0.name < $1.name }
  }

  /// Replaces the name of an act wherever this write refers to it.
  package mutating func rename(_ old: Dot, _ new: Dot) {
    for index in changes.indices {
      guard case .elements(let add, var remove) = changes[index].kind else { continue }
      for place in remove.indices where remove[place].dots.contains(old) {
        remove[place].dots.removeAll { $0 == old }
        new.put(into: &remove[place].dots)
      }
      changes[index].kind = .elements(add: add, remove: remove)
    }
  }
}

extension RecordWrite.Kind {
  /// The merge rule of the fields that accept this change.
  package var rule: MergeRule {
    switch self {
    case .largest: .largest
    case .smallest: .smallest
    case .add: .counter
    case .elements: .set
    case .items: .list
    }
  }

  /// The values that this change writes.
  var values: [[UInt8]] {
    switch self {
    case .largest(let value), .smallest(let value): [value]
    case .add: []
    case .elements(let add, _): add
    case .items(let insert, _): insert.compactMap(\.value)
    }
  }

  /// Returns the content of a field after this change. `state` is its earlier content, or nil if it had none.
  func applied(to state: RecordPart.State?, of dot: Dot) -> RecordPart.State {
    switch (self, state) {
    case (.largest(let value), .largest(let known)?) where !known.lexicographicallyPrecedes(value): .largest(known)
    case (.largest(let value), _): .largest(value)
    case (.smallest(let value), .smallest(let known)?) where !value.lexicographicallyPrecedes(known): .smallest(known)
    case (.smallest(let value), _): .smallest(value)
    case (.add(let more), .counter(let slots)?): .counter(Self.adding(more, to: slots, of: dot))
    case (.add(let more), _): .counter([.init(dot: dot, total: more)])
    case (.elements(let add, let remove), .set(let elements)?): .set(Self.changing(elements, add, remove, of: dot))
    case (.elements(let add, let remove), _): .set(Self.changing([], add, remove, of: dot))
    case (.items(let insert, let remove), .list(let items)?): .list(Self.changing(items, insert, remove))
    case (.items(let insert, let remove), _): .list(Self.changing([], insert, remove))
    }
  }

  private static func adding(_ more: Int64, to slots: [RecordPart.Slot], of dot: Dot) -> [RecordPart.Slot] {
    var slots = slots
    let index = slots.firstIndex { $0.dot.device >= dot.device } ?? slots.endIndex
    if index < slots.endIndex, slots[index].dot.device == dot.device {
      // A sum that overflows stays at the end of the range.
      let (sum, overflow) = slots[index].total.addingReportingOverflow(more)
      slots[index] = .init(dot: dot, total: overflow ? (more > 0 ? .max : .min) : sum)
    } else {
      slots.insert(.init(dot: dot, total: more), at: index)
    }
    return slots
  }

  private static func changing(
    _ elements: [RecordPart.Element], _ add: [[UInt8]], _ remove: [RecordPart.Element], of dot: Dot
  ) -> [RecordPart.Element] {
    var elements = elements
    for removed in remove {
      guard let index = elements.firstIndex(where: { $0.value == removed.value }) else { continue }
      elements[index].dots.removeAll { known in
        known.device == dot.device
          || removed.dots.contains { $0.device == known.device && known.number <= $0.number }
      }
    }
    elements.removeAll(where: \.dots.isEmpty)
    for value in add {
      let index = elements.firstIndex { !$0.value.lexicographicallyPrecedes(value) } ?? elements.endIndex
      if index == elements.endIndex || elements[index].value != value {
        elements.insert(.init(value: value, dots: []), at: index)
      }
      dot.put(into: &elements[index].dots)
    }
    return elements
  }

  private static func changing(_ items: [ListItem], _ insert: [ListItem], _ remove: [ItemID]) -> [ListItem] {
    let news = (insert + remove.map { ListItem(id: $0, after: nil, value: nil) })
    return news.reduce(items) { items, item in
      RecordPart.State.merge(items, [item], by: { $0.id < $1.id }) { $0.merged(with: $1) }
    }
  }
}
