/// The level of detail of the events that an observer receives.
public enum RunDetail: UInt8, Sendable {
  /// No events.
  case none
  /// All events, except that steps became ready, started or succeeded.
  case brief
  /// All events.
  case full
}
