/// One post of an event.
public struct EventPost: Sendable, Hashable {
  /// The event.
  public var event: String
  /// Which post of it, from 1.
  public var number: Int
  /// When it came, in nanoseconds from the start of the run.
  public var atNanoseconds: Int
  /// The value that it was posted with, or null.
  public var value: Value

  /// A post.
  public init(event: String, number: Int, atNanoseconds: Int, value: Value = .null) {
    self.event = event
    self.number = number
    self.atNanoseconds = atNanoseconds
    self.value = value
  }
}
