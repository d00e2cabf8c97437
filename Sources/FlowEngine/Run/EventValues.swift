import FlowModel

/// The values of posted events.
struct EventValues: Sendable {
  private var values: [String: [Int: Value]] = [:]
  private var last: [String: Value] = [:]
  private var byteCount = 0

  /// The events that were posted with a value.
  var events: [String] { last.keys.sorted() }

  /// The value of a post by its number, or null if it had none.
  func value(of event: String, number: Int) -> Value { values[event]?[number] ?? .null }

  /// The value of the last post, or null if it had none or the event has not been posted.
  func last(of event: String) -> Value { last[event] ?? .null }

  /// Stores the value of a post. Returns false if the run's values would become too large.
  mutating func keep(_ value: Value, of event: String, number: Int) -> Bool {
    guard !value.isNull else {
      if last[event] != nil { last[event] = value }
      return true
    }
    byteCount += JSONText.bytes(of: value).count
    guard byteCount <= Limits.eventValuesBytes else { return false }
    values[event, default: [:]][number] = value
    last[event] = value
    return true
  }
}

/// The value of a post as recorded in the journal.
package struct RecordedEventValue: Sendable, Hashable {
  /// The event.
  package var event: String
  /// The number of the post.
  package var number: Int
  /// The value under the key `value`.
  package var value: ValueObject
}
