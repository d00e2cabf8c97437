/// The latest state that one device gave a record of a collection with `decide`, kept next to those of other devices that
/// did not see it (F9).
public struct StateEntry: Hashable, Sendable {
  /// Which write this is.
  public var dot: Dot
  /// When the user acted, in milliseconds since 1970 on the server's clock.
  public var milliseconds: Int64
  /// Orders the writes of one millisecond.
  public var counter: UInt32
  /// Whether its author had seen every entry that the cell held when it was committed: nothing was in conflict.
  public var sawEverything: Bool
  /// The state itself; see `RecordState`.
  public var payload: [UInt8]

  /// Makes an entry.
  public init(dot: Dot, milliseconds: Int64, counter: UInt32, sawEverything: Bool, payload: [UInt8]) {
    self.dot = dot
    self.milliseconds = milliseconds
    self.counter = counter
    self.sawEverything = sawEverything
    self.payload = payload
  }

  /// Time and author as one ordered value.
  public var stamp: Stamp { Stamp(milliseconds: milliseconds, counter: counter, device: dot.device) }
}
