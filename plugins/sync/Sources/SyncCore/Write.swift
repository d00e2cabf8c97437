/// One action of a user on a record, or the rules of a collection.
package struct Write: Hashable, Sendable {
  /// The identity of the write (M1).
  package var dot: Dot
  /// The time of the user's action, in milliseconds since 1970 (M2).
  package var milliseconds: Int64
  /// The order within one millisecond.
  package var counter: UInt32
  /// The latest stamp in this cell that the author had seen. The write counts as later, even if the author's clock is
  /// behind.
  package var seen: Stamp?
  /// The writes that the author had seen. The write's state replaces their states (M3).
  package var context: VersionVector
  /// The new state of a record that is decided as a whole (see `RecordState`), or nil if it does not change.
  package var payload: [UInt8]?
  /// The author's changes to `newest` fields, sorted by name. In a write of a collection's rules, they contain the text
  /// of the rules.
  package var fields: [FieldChange]
  /// The other changes to a record in a collection. Nil for rules.
  package var record: RecordWrite?
  /// A random number drawn when the device's file was opened, or 0. Together with the dot it names the act permanently,
  /// even if another copy of the file sends it.
  package var incarnation: UInt64 = 0
  /// The fixed checksum of the user's action, which later changes by a clock or the arbiter do not alter. 0 if it has
  /// not been fixed.
  package var seal: UInt32 = 0

  package struct FieldChange: Hashable, Sendable {
    package var name: String
    package var value: [UInt8]

    package init(name: String, value: [UInt8]) {
      self.name = name
      self.value = value
    }
  }

  package init(
    dot: Dot, milliseconds: Int64, counter: UInt32 = 0, seen: Stamp? = nil, context: VersionVector = VersionVector(),
    payload: [UInt8]? = nil, fields: [FieldChange] = [], record: RecordWrite? = nil
  ) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.seen = seen
    // The checksums of seen writes are stored only in cells.
    self.context = VersionVector(context.dots)
    self.payload = payload
    self.fields = fields.sorted { $0.name < $1.name }
    self.record = record
  }

  package var stamp: Stamp {
    get { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
    set { (milliseconds, counter) = (newValue.milliseconds, newValue.counter) }
  }
}
