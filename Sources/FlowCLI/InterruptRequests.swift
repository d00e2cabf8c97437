import FlowSystem

/// Decides which signals are separate requests to end, as a value without signals and clock.
///
/// `timeout`, npm, supervisors and shells send the same signal twice, to the process and to its group, or two signals
/// in a row.
struct InterruptRequests {
  /// The reaction to a signal.
  enum Reaction {
    /// The first request: the run stops and cleans up.
    case stop
    /// The signal belongs to the first request.
    case none
    /// The process ends at once, with everything that it has started.
    case endAtOnce
  }

  /// Signals within this time after the first one belong to it.
  static let window = Duration.milliseconds(500)

  private(set) var first: CInt?
  private var firstInstant: ContinuousClock.Instant?

  /// Processes a signal.
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
