/// How much of a run is notified to an observer.
public enum RunDetail: UInt8, Sendable {
  /// Nothing.
  case none
  /// All but that steps were ready, started and succeeded.
  case brief
  /// Everything.
  case full
}
