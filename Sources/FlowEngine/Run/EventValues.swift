import FlowModel

/// The values of posted events.
struct EventValues: Sendable {
  private var values: [String: [Int: Value]] = [:]
  private var last: [String: Value] = [:]
  private var byteCount = 0

  var events: [String] { last.keys.sorted() }

  /// Returns the value of a post, or null if the event was posted without one.
  func value(of event: String, number: Int) -> Value { values[event]?[number] ?? .null }

  /// Returns the value of the last post of an event, or null if it had none or the event was not posted.
  func last(of event: String) -> Value { last[event] ?? .null }

  /// Stores the value of a post. Returns false if the values of all posts would exceed the limit.
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

/// The value of a post, as recorded in the journal.
package struct RecordedEventValue: Sendable, Hashable {
  package var event: String
  /// The number of the post, counted from 1.
  package var number: Int
  /// The value, as the only member of an object, with the key `value`.
  package var value: ValueObject
}
