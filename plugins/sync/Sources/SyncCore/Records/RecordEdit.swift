import FlowBytes

/// What a user does to a record, before anybody knows what is in it.
public struct RecordEdit: Hashable, Sendable {
  /// Whether it deletes the record.
  public var isDeletion: Bool
  /// What is done to its fields, by name.
  public var fields: [String: Field]
  /// From what the names of new list elements are drawn.
  public var seed: UInt64

  /// What is done to one field.
  public enum Field: Hashable, Sendable {
    /// Sets it: the newest wins.
    case set([UInt8])
    /// Sets it in a state that is arbitrated whole.
    case state([UInt8])
    /// Raises it to a value.
    case largest([UInt8])
    /// Raises it to a value in its present epoch, or begins the next one with it.
    case inEpoch([UInt8], begins: Bool)
    /// Raises a whole number with epochs by so much from what this device shows; nothing written is 0.
    case raise(by: Int64)
    /// Lowers it to a value.
    case smallest([UInt8])
    /// Adds to a counter.
    case add(Int64)
    /// Has a counter show this here and now.
    case total(Int64)
    /// Adds values to a set and takes others away.
    case elements(add: [[UInt8]], remove: [[UInt8]])
    /// Has a set show just these here and now.
    case exactly([[UInt8]])
    /// Inserts values into a list, each behind an element or at the beginning, removes elements and moves others.
    case items(insert: [Insertion], remove: [ItemID], move: [Move] = [])
    /// Has a list show just these here and now, in this order.
    case inOrder([[UInt8]])
  }

  /// A value on its way into a list.
  public struct Insertion: Hashable, Sendable {
    /// Behind which element; nil for the begin.
    public var after: ItemID?
    /// Whether it comes behind the last one instead.
    public var isAtEnd: Bool
    /// The value.
    public var value: [UInt8]

    /// Makes an insertion.
    public init(after: ItemID?, isAtEnd: Bool = false, value: [UInt8]) {
      self.after = after
      self.isAtEnd = isAtEnd
      self.value = value
    }
  }

  /// A move of an element of a list.
  public struct Move: Hashable, Sendable {
    /// The element.
    public var element: ItemID
    /// The element that it is put behind; nil for the beginning.
    public var after: ItemID?
    /// True if it is put behind the last element instead.
    public var isAtEnd: Bool

    /// Moves an element.
    public init(_ element: ItemID, after: ItemID?, isAtEnd: Bool = false) {
      self.element = element
      self.after = after
      self.isAtEnd = isAtEnd
    }
  }

  /// Makes an edit.
  public init(isDeletion: Bool = false, fields: [String: Field] = [:], seed: UInt64 = 0) {
    self.isDeletion = isDeletion
    self.fields = fields
    self.seed = seed
  }

  /// Completes a write with what this edit does to a record that shows `view`; `rules` are its collection's, and
  /// `first` is the incarnation in which an unknown record begins.
  public func complete(_ write: inout Write, over view: Cell, by rules: ZoneRules, first: Int64 = 0) {
    let isGone = view.isRecord && view.content.isDeleted(by: rules.delete)
    var record = RecordWrite(incarnation: view.isRecord ? view.content.incarnation : first, isDeletion: isDeletion)
    if !isDeletion {
      // What was deleted begins again; nothing of what it held is seen any more.
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
  /// What this does to a field that shows `state`; nil for what sets a field.
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
  /// The sum of a counter.
  public var total: Int64? {
    guard case .counter(let slots) = self else { return nil }
    return slots.reduce(0) { sum, slot in
      let (result, overflow) = sum.addingReportingOverflow(slot.total)
      return overflow ? (slot.total > 0 ? .max : .min) : result
    }
  }

  /// The elements of a set.
  public var elements: [RecordPart.Element]? { if case .set(let elements) = self { elements } else { nil } }

  /// The elements of a list, those that were removed included, sorted by name.
  public var items: [ListItem]? { if case .list(let items) = self { items } else { nil } }
}
