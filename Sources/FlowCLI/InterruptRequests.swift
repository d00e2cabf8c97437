import FlowSystem

/// Decides whether a signal is a new request to end the process. It does not handle signals or read a clock itself.
///
/// `timeout`, npm, supervisors and shells send a signal twice, to the process and to its process group, or send two
/// different signals in a row. These count as one request.
struct InterruptRequests {
  enum Reaction {
    /// The first request: the run is stopped, and its cleanup runs.
    case stop
    /// The signal belongs to the first request and has no effect.
    case none
    /// The second request: the process ends at once and kills the processes it started.
    case endAtOnce
  }

  /// A signal within this time after the first signal belongs to the first request.
  static let window = Duration.milliseconds(500)

  private(set) var first: CInt?
  private var firstInstant: ContinuousClock.Instant?

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
