/// One action of a user, on its way to a cell; or several that were put together before they were sent.
///
/// Its time is that of the act that set the state. A field that another act set has that act's time (`FieldChange.act`): no
/// part of a write ever looks newer than what the user did.
public struct Write: Hashable, Sendable {
  /// Which write this is (M1).
  public var dot: Dot
  /// When the user acted (M2).
  public var milliseconds: Int64
  /// Orders the writes of one millisecond.
  public var counter: UInt32
  /// The latest stamp that the author had seen in this cell: the write is later, whatever the clocks say.
  public var seen: Stamp?
  /// The writes that the author of the state had seen: what it replaces (M3).
  public var context: VersionVector
  /// The new state, nil when the write leaves the state alone.
  public var payload: [UInt8]?
  /// The count that the author saw, together with his own addition.
  public var tally: Tally
  /// The fields that the author set, by name, sorted.
  public var fields: [FieldChange]
  /// What it does besides to a record of a schema; nil for every other record.
  public var record: RecordWrite?
  /// What the opening of the device's file drew in which the act was done; 0 for none. With the dot it is the name of the
  /// act, which never changes, whichever copy of the file sends it.
  public var incarnation: UInt64 = 0
  /// The checksum of the act as it was done; 0 for a write of an earlier version. What a clock or the arbiter changes later
  /// does not change it.
  public var seal: UInt32 = 0
  /// The numbers of earlier acts that were put together with this one before any was sent.
  public var replaced: [Int64] = []

  /// A new value for one field.
  public struct FieldChange: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// Its new value.
    public var value: [UInt8]
    /// When it was set, nil for the time of the write itself.
    public var act: Act?

    /// Sets a field.
    public init(name: String, value: [UInt8], act: Act? = nil) {
      self.name = name
      self.value = value
      self.act = act
    }
  }

  /// When something was done, and what its author had seen then.
  public struct Act: Hashable, Sendable {
    /// When the user acted.
    public var milliseconds: Int64
    /// Orders the acts of one millisecond.
    public var counter: UInt32
    /// The latest stamp that the author had seen.
    public var seen: Stamp?

    /// Makes an act.
    public init(milliseconds: Int64, counter: UInt32, seen: Stamp?) {
      self.milliseconds = milliseconds
      self.counter = counter
      self.seen = seen
    }

    func isEarlier(than other: Act) -> Bool {
      milliseconds != other.milliseconds ? milliseconds < other.milliseconds : counter < other.counter
    }
  }

  /// Makes a write.
  public init(
    dot: Dot, milliseconds: Int64, counter: UInt32 = 0, seen: Stamp? = nil, context: VersionVector = VersionVector(),
    payload: [UInt8]? = nil, tally: Tally = Tally(), fields: [FieldChange] = [], record: RecordWrite? = nil
  ) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.seen = seen
    // What the writes held that were seen is noted in cells alone.
    self.context = VersionVector(context.dots)
    self.payload = payload
    self.tally = tally
    self.fields = fields.sorted { $0.name < $1.name }
    self.record = record
  }

  /// Time and author as one ordered value.
  public var stamp: Stamp {
    get { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
    set { (milliseconds, counter) = (newValue.milliseconds, newValue.counter) }
  }

  /// The stamp of one of its fields.
  public func stamp(of change: FieldChange) -> Stamp {
    guard let act = change.act else { return stamp }
    return Stamp(milliseconds: act.milliseconds, counter: act.counter, device: dot.device)
  }

  /// This write as it is sent when it takes the place of an older, unsent one of the same device: what the older one set
  /// and this one leaves alone is carried along, with the time at which it was set (M1).
  public func replacing(_ older: Write) -> Write {
    var result = self
    var carried = older.fields.filter { old in !fields.contains { $0.name == old.name } }
    if payload == nil, let state = older.payload {
      result.payload = state
      result.context = older.context
      (result.milliseconds, result.counter, result.seen) = (older.milliseconds, older.counter, older.seen)
      for index in result.fields.indices { result.fields[index].act = result.fields[index].act ?? act }
    } else {
      result.context.formUnion(older.context)
      for index in carried.indices { carried[index].act = carried[index].act ?? older.act }
    }
    result.tally = max(tally, older.tally)
    result.replaced = older.replaced + [older.dot.number] + replaced
    result.fields = (result.fields + carried).sorted { $0.name < $1.name }
    return result
  }
}
