import FlowBytes

/// A user's edit of a record. It can be created without reading the record.
public struct RecordEdit: Hashable, Sendable {
  package var isDeletion: Bool
  /// The edits of the record's fields, by name.
  public var fields: [String: Field]
  /// The seed for the random names of new list elements and positions.
  package var seed: UInt64

  /// The edit of one field.
  public enum Field: Hashable, Sendable {
    /// Sets the value. The newest write wins.
    case set([UInt8])
    /// Sets the value of a field in a collection with a `decide` rule.
    case state([UInt8])
    /// Raises the value to this one if it is smaller.
    case largest([UInt8])
    /// Raises the value to this one in the current epoch. If `begins` is true, starts the next epoch with this value.
    case inEpoch([UInt8], begins: Bool)
    /// Adds to the integer value of a field with epochs, as known to this device. A field without a value counts as 0.
    /// The result is at least 0.
    case raise(by: Int64)
    /// Lowers the value to this one if it is larger.
    case smallest([UInt8])
    /// Adds to a counter.
    case add(Int64)
    /// Sets a counter to a total by adding the difference to the total known to this device.
    case total(Int64)
    /// Adds values to a set and removes others.
    case elements(add: [[UInt8]], remove: [[UInt8]])
    /// Sets the elements of a set by adding and removing, compared with the elements known to this device.
    case exactly([[UInt8]])
    /// Inserts values into a list after an element or at the beginning, removes elements and moves elements.
    case items(insert: [Insertion], remove: [ItemID], move: [Move] = [])
    /// Sets the elements of a list and their order, compared with the list known to this device.
    case inOrder([[UInt8]])
  }

  /// The insertion of a value into a list.
  public struct Insertion: Hashable, Sendable {
    /// The preceding element, or nil for the beginning of the list.
    package var after: ItemID?
    /// True to insert the value at the end of the list. `after` is then ignored.
    package var isAtEnd: Bool
    package var value: [UInt8]

    /// Creates the insertion of a value after an element, or at the beginning of the list if `after` is nil.
    public init(after: ItemID?, isAtEnd: Bool = false, value: [UInt8]) {
      self.after = after
      self.isAtEnd = isAtEnd
      self.value = value
    }
  }

  /// The move of an element within its list.
  public struct Move: Hashable, Sendable {
    package var element: ItemID
    /// The preceding element after the move, or nil for the beginning of the list.
    package var after: ItemID?
    /// True to move the element to the end of the list. `after` is then ignored.
    package var isAtEnd: Bool

    /// Creates the move of an element after another one, or to the beginning of the list if `after` is nil.
    public init(_ element: ItemID, after: ItemID?, isAtEnd: Bool = false) {
      self.element = element
      self.after = after
      self.isAtEnd = isAtEnd
    }
  }

  /// Creates an edit. It needs a random `seed` if it inserts values into lists or moves list elements.
  public init(isDeletion: Bool = false, fields: [String: Field] = [:], seed: UInt64 = 0) {
    self.isDeletion = isDeletion
    self.fields = fields
    self.seed = seed
  }

  /// Adds the effect of this edit on the record `view` to a write. `rules` are the rules of the record's collection.
  /// `first` is the incarnation of a record that does not exist yet.
  package func complete(_ write: inout Write, over view: Cell, by rules: ZoneRules, first: Int64 = 0) {
    let isGone = view.isRecord && view.content.isDeleted(by: rules.delete)
    var record = RecordWrite(incarnation: view.isRecord ? view.content.incarnation : first, isDeletion: isDeletion)
    if !isDeletion {
      // A deleted record starts again without its earlier content.
      let seen = isGone ? RecordContent() : view.content
      if isGone { record.incarnation += 1 }
      var state: RecordState?
      for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
        if case .state(let value) = field {
          if state == nil {
            let shown = isGone ? nil : rules.decide.map { view.state(by: $0) }
            state = shown ?? RecordState()
          }
          state?.values[name] = value == Scalar.null.bytes ? nil : value
        } else if case .set(let value) = field {
          write.fields.append(.init(name: name, value: value))
        } else if let kind = field.kind(over: seen.part(name)?.state, seed: seed ^ Self.hash(name)) {
          record.changes.append(.init(name: name, kind: kind))
        }
      }
      write.payload = state?.payload
      if state == nil || isGone { write.context = VersionVector() }
    }
    write.record = record
  }

  private static func hash(_ name: String) -> UInt64 {
    var hash = FNV1a64()
    hash.add(name.utf8)
    return hash.value
  }
}

extension RecordEdit.Field {
  /// Returns the change to a field whose content is `state`, or nil if the field is not part of a `RecordContent`.
  fileprivate func kind(over state: RecordPart.State?, seed: UInt64) -> RecordWrite.Kind? {
    switch self {
    case .set, .state: return nil
    case .inEpoch(let value, let begins):
      return .largest(EpochValue.bytes(value, epoch: (Self.known(state)?.epoch ?? 0) + (begins ? 1 : 0)))
    case .raise(let more):
      let known = Self.known(state)
      let value: Int64 = if let known, case .integer(let number)? = Scalar(bytes: known.value) { number } else { 0 }
      let raised = min(max(value + more, 0), Stamp.latestMilliseconds)
      return .largest(EpochValue.bytes(Scalar.integer(raised).bytes, epoch: known?.epoch ?? 0))
    case .largest(let value): return .largest(value)
    case .smallest(let value): return .smallest(value)
    case .add(let more): return .add(more)
    case .total(let total): return .add(total - (state?.total ?? 0))
    case .elements(let add, let remove): return Self.elements(add, remove, state?.elements ?? [])
    case .exactly(let values):
      let known = state?.elements ?? []
      let gone = known.map(\.value).filter { !values.contains($0) }
      return Self.elements(values.filter { value in !known.contains { $0.value == value } }, gone, known)
    case .items(let insert, let remove, let move):
      let known = state?.items ?? []
      let steps = insert.map { ListStep($0) } + ListStep.moves(move, in: known)
      return .items(insert: ListStep.items(steps, known, seed), remove: Set(remove).sorted())
    case .inOrder(let values):
      let known = state?.items ?? []
      let (steps, remove) = ListStep.difference(from: ListItem.inOrder(known), to: values)
      return .items(insert: ListStep.items(steps, known, seed), remove: remove)
    }
  }

  private static func known(_ state: RecordPart.State?) -> (epoch: Int64, value: [UInt8])? {
    if case .largest(let bytes)? = state { EpochValue.read(bytes) } else { nil }
  }

  private static func elements(
    _ add: [[UInt8]], _ remove: [[UInt8]], _ known: [RecordPart.Element]
  ) -> RecordWrite.Kind {
    let removed = known.filter { element in remove.contains(element.value) && !add.contains(element.value) }
    let added = Set(add).sorted { $0.lexicographicallyPrecedes($1) }
    return .elements(add: added, remove: removed)
  }
}

extension RecordPart.State {
  /// The total of a counter, limited to the range of `Int64`. Nil for other fields.
  package var total: Int64? {
    guard case .counter(let slots) = self else { return nil }
    return slots.reduce(0) { sum, slot in
      let (result, overflow) = sum.addingReportingOverflow(slot.total)
      return overflow ? (slot.total > 0 ? .max : .min) : result
    }
  }

  /// The elements of a set, or nil for other fields.
  package var elements: [RecordPart.Element]? { if case .set(let elements) = self { elements } else { nil } }

  /// The elements of a list, including removed ones, sorted by name. Nil for other fields.
  package var items: [ListItem]? { if case .list(let items) = self { items } else { nil } }
}
