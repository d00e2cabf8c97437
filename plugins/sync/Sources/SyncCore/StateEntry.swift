/// The latest state that one device wrote to a record of a collection with `decide`. It is kept together with states of
/// other devices whose authors had not seen it (F9).
package struct StateEntry: Hashable, Sendable {
  /// The identity of the write.
  package var dot: Dot
  /// The time of the user's action, in milliseconds since 1970 on the server's clock.
  package var milliseconds: Int64
  /// The order within one millisecond.
  package var counter: UInt32
  /// True if its author had seen every entry of the cell when it was committed, so that there was no conflict.
  package var sawEverything: Bool
  /// The encoded state; see `RecordState`.
  package var payload: [UInt8]

  /// Creates an entry.
  package init(dot: Dot, milliseconds: Int64, counter: UInt32, sawEverything: Bool, payload: [UInt8]) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.sawEverything = sawEverything
    self.payload = payload
  }

  /// The time and the author as one ordered value.
  package var stamp: Stamp { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
}
