/// The detail of the events that an observer receives.
public enum RunDetail: UInt8, Sendable {
  /// No events.
  case none
  /// Everything except that steps were ready, started and succeeded.
  case brief
  /// All events.
  case full
}
