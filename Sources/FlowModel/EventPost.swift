/// A single post of an event.
package struct EventPost: Sendable, Hashable {
  /// The name of the event that was posted.
  package var event: String
  /// The number of the post among all posts of its event, counted from 1.
  package var number: Int
  /// The time from the start of the run to the post, in nanoseconds.
  package var atNanoseconds: Int
  /// The value of the post, or null if it has none.
  package var value: Value

  package init(event: String, number: Int, atNanoseconds: Int, value: Value = .null) {
    self.event = event
    self.number = number
    self.atNanoseconds = atNanoseconds
    self.value = value
  }
}
