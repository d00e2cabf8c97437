/// The latest state that one device wrote to a record of a collection with `decide`. A cell keeps it alongside states
/// of other devices whose authors had not seen it (F9).
package struct StateEntry: Hashable, Sendable {
  package var dot: Dot
  /// The time of the user's action, in milliseconds since 1970 on the server's clock.
  package var milliseconds: Int64
  /// The order within one millisecond.
  package var counter: UInt32
  /// True if the author had seen every other state of the cell when the write was committed, so that there was no
  /// conflict.
  package var sawEverything: Bool
  /// The encoded state; see `RecordState`.
  package var payload: [UInt8]

  package init(dot: Dot, milliseconds: Int64, counter: UInt32, sawEverything: Bool, payload: [UInt8]) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.sawEverything = sawEverything
    self.payload = payload
  }

  package var stamp: Stamp { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
}
