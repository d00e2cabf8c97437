/// The level of detail of the events that an observer receives.
public enum RunDetail: UInt8, Sendable {
  /// No events.
  case none
  /// All events except those of steps that become ready, start or succeed.
  case brief
  /// All events.
  case full
}
