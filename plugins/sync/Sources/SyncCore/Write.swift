/// One action of a user, on its way to a cell.
public struct Write: Hashable, Sendable {
  /// Which write this is (M1).
  public var dot: Dot
  /// When the user acted (M2).
  public var milliseconds: Int64
  /// Orders the writes of one millisecond.
  public var counter: UInt32
  /// The latest stamp that the author had seen in this cell: the write is later, whatever the clocks say.
  public var seen: Stamp?
  /// The writes that the author had seen: what this one replaces (M3).
  public var context: VersionVector
  /// The new state, nil when the write leaves the state alone.
  public var payload: [UInt8]?
  /// The count that the author saw, together with his own addition.
  public var tally: Tally
  /// The fields that the author set, by name, sorted; each gets the write's stamp.
  public var fields: [FieldChange]

  /// A new value for one field.
  public struct FieldChange: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Its new value.
    public var value: [UInt8]

    /// Sets a field.
    public init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// Makes a write.
  public init(
    dot: Dot, milliseconds: Int64, counter: UInt32 = 0, seen: Stamp? = nil, context: VersionVector = VersionVector(),
    payload: [UInt8]? = nil, tally: Tally = Tally(), fields: [FieldChange] = []
  ) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.seen = seen
    self.context = context
    self.payload = payload
    self.tally = tally
    self.fields = fields.sorted { $0.name < $1.name }
  }

  /// Time and author as one ordered value.
  public var stamp: Stamp {
    get { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
    set { (milliseconds, counter) = (newValue.milliseconds, newValue.counter) }
  }

  /// This write as it is sent when it takes the place of an older, unsent one of the same device: what the older one set
  /// and this one leaves alone is carried along (M1).
  public func replacing(_ older: Write) -> Write {
    var result = self
    result.context.formUnion(older.context)
    if let past = older.seen { result.seen = seen.map { max($0, past) } ?? past }
    if payload == nil { result.payload = older.payload }
    result.tally = max(tally, older.tally)
    for change in older.fields where !fields.contains(where: { $0.name == change.name }) {
      result.fields.append(change)
    }
    result.fields.sort { $0.name < $1.name }
    return result
  }
}
