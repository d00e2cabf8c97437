import FlowSystem

/// Which of the signals that come are requests to end of their own: a value without signals and clock.
///
/// `timeout`, npm, supervisors and shells send the same signal twice, to the process and to its group, or two of them in a row.
struct InterruptRequests {
  /// What follows from a signal.
  enum Reaction {
    /// It is the first request: the run stops with its cleanup.
    case stop
    /// It belongs to the first request.
    case none
    /// The process ends now, with everything that it has started.
    case endAtOnce
  }

  /// Signals that come this soon after the first one belong to it.
  static let window = Duration.milliseconds(500)

  private(set) var first: CInt?
  private var firstInstant: ContinuousClock.Instant?

  /// Takes in a signal that came.
  mutating func take(_ signal: CInt, at now: ContinuousClock.Instant) -> Reaction {
    let start = firstInstant ?? now
    let isFirst = first == nil
    first = first ?? signal
    firstInstant = start
    if signal == SIGQUIT { return .endAtOnce }
    if isFirst { return .stop }
    return now - start < Self.window ? .none : .endAtOnce
  }
}
