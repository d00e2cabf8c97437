/// The kind of a timer's state, with the fixed values of `stateType` (F21, C14, S6).
public enum TimerKind: String, Hashable, Sendable, CaseIterable {
  /// The timer is stopped.
  case idle
  /// The break has been postponed.
  case snooze
  /// A break is running.
  case breakTime
  /// A focus period is running.
  case focus

  /// The priority in a conflict: focus 3, break 2, snooze 1, idle 0 (S25, M6).
  public var priority: Int {
    switch self {
    case .idle: 0
    case .snooze: 1
    case .breakTime: 2
    case .focus: 3
    }
  }

  /// True if the time decreases in this state. Of two such states, the one with less time left wins (S21, S22).
  package var runsDown: Bool { self == .focus || self == .breakTime }
}
