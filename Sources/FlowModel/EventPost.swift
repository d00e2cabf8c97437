/// A post of an event.
public struct EventPost: Sendable, Hashable {
  /// The name of the event.
  public var event: String
  /// The number of the post among all posts of its event, counted from 1.
  public var number: Int
  /// The time of the post, in nanoseconds from the start of the run.
  package var atNanoseconds: Int
  /// The posted value, or null.
  public var value: Value

  /// Creates a post.
  public init(event: String, number: Int, atNanoseconds: Int, value: Value = .null) {
    self.event = event
    self.number = number
    self.atNanoseconds = atNanoseconds
    self.value = value
  }
}
