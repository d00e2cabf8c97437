/// One post of an event that repeats.
public struct EventPost: Sendable, Hashable {
  /// The event.
  public var event: String
  /// Which post of it, from 1.
  public var number: Int
  /// When it came, in nanoseconds from the start of the run.
  public var atNanoseconds: Int

  /// A post.
  public init(event: String, number: Int, atNanoseconds: Int) {
    self.event = event
    self.number = number
    self.atNanoseconds = atNanoseconds
  }
}
