/// A post of an event.
package struct EventPost: Sendable, Hashable {
  /// The name of the event.
  package var event: String
  /// The number of the post among all posts of its event, counted from 1.
  package var number: Int
  /// The time of the post, in nanoseconds from the start of the run.
  package var atNanoseconds: Int
  /// The posted value, or null.
  package var value: Value

  /// Creates a post.
  package init(event: String, number: Int, atNanoseconds: Int, value: Value = .null) {
    self.event = event
    self.number = number
    self.atNanoseconds = atNanoseconds
    self.value = value
  }
}
