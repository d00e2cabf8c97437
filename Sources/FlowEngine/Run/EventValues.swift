import FlowModel

/// The values that events were posted with.
struct EventValues: Sendable {
  private var values: [String: [Int: Value]] = [:]
  private var last: [String: Value] = [:]
  private var byteCount = 0

  /// The events that were posted with a value.
  var events: [String] { last.keys.sorted() }

  /// The value of a post by its number; null: it had none.
  func value(of event: String, number: Int) -> Value { values[event]?[number] ?? .null }

  /// The value of the last post; null: it had none, or the event was not posted.
  func last(of event: String) -> Value { last[event] ?? .null }

  /// Keeps the value of a post; false: the values of the run would be too large.
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

/// A value of a post that the journal keeps.
package struct RecordedEventValue: Sendable, Hashable {
  /// The event.
  package var event: String
  /// The number of the post.
  package var number: Int
  /// The value under the key `value`.
  package var value: ValueObject
}
