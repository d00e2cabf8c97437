/// One action of a user on its way to a cell, or the rules of a collection on their way to the zone.
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
  /// The new state of a record that is arbitrated whole, see `RecordState`; nil when the write leaves it alone.
  public var payload: [UInt8]?
  /// The fields merged by `newest` that the author set, by name, sorted; of rules, their words.
  public var fields: [FieldChange]
  /// What it does besides to a record of a collection; nil for a collection's rules.
  public var record: RecordWrite?
  /// What the opening of the device's file drew in which the act was done; 0 for none. With the dot it is the name of the
  /// act, which never changes, whichever copy of the file sends it.
  public var incarnation: UInt64 = 0
  /// The checksum of the act as it was done; 0 where none was fixed. What a clock or the arbiter changes later does not
  /// change it.
  public var seal: UInt32 = 0

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
    payload: [UInt8]? = nil, fields: [FieldChange] = [], record: RecordWrite? = nil
  ) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.seen = seen
    // What the writes held that were seen is noted in cells alone.
    self.context = VersionVector(context.dots)
    self.payload = payload
    self.fields = fields.sorted { $0.name < $1.name }
    self.record = record
  }

  /// Time and author as one ordered value.
  public var stamp: Stamp {
    get { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
    set { (milliseconds, counter) = (newValue.milliseconds, newValue.counter) }
  }
}
