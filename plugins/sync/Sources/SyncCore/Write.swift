/// One action of a user on a record, or the rules of a collection for the zone.
package struct Write: Hashable, Sendable {
  /// The identity of the write (M1).
  package var dot: Dot
  /// The time of the user's action (M2).
  package var milliseconds: Int64
  /// The order within one millisecond.
  package var counter: UInt32
  /// The latest stamp in this cell that the author had seen. The write counts as later, whatever the clocks show.
  package var seen: Stamp?
  /// The writes that the author of the state had seen, which the state replaces (M3).
  package var context: VersionVector
  /// The new state of a record that is decided as a whole (see `RecordState`), or nil if it does not change.
  package var payload: [UInt8]?
  /// The `newest` fields that the author set, sorted by name. For rules, their text.
  package var fields: [FieldChange]
  /// The other changes of a record in a collection, or nil for rules.
  package var record: RecordWrite?
  /// The number drawn when the device's file was opened for this act, or 0. Together with the dot it is the permanent
  /// name of the act, whichever copy of the file sends it.
  package var incarnation: UInt64 = 0
  /// The fixed checksum of the user's action, or 0 if none is fixed. Later changes by a clock or the arbiter do not
  /// affect it.
  package var seal: UInt32 = 0

  /// A new value for one field.
  package struct FieldChange: Hashable, Sendable {
    /// The field's name.
    package var name: String
    /// Its new value.
    package var value: [UInt8]

    /// Creates a new value of a field.
    package init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  /// Creates a write.
  package init(
    dot: Dot, milliseconds: Int64, counter: UInt32 = 0, seen: Stamp? = nil, context: VersionVector = VersionVector(),
    payload: [UInt8]? = nil, fields: [FieldChange] = [], record: RecordWrite? = nil
  ) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.seen = seen
    // Checksums of the seen writes are only stored in cells.
    self.context = VersionVector(context.dots)
    self.payload = payload
    self.fields = fields.sorted { $0.name < $1.name }
    self.record = record
  }

  /// The time and the author as one ordered value.
  package var stamp: Stamp {
    get { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
    set { (milliseconds, counter) = (newValue.milliseconds, newValue.counter) }
  }
}
