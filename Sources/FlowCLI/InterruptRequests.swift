import FlowSystem

/// Decides whether a signal is another request to end the process. It neither handles signals nor reads a clock.
///
/// `timeout`, npm, supervisors and shells send a signal twice, to the process and to its process group, or send two
/// different signals in a row. Each such pair counts as a single request.
struct InterruptRequests {
  enum Reaction {
    /// This is the first request. The run is stopped, and its cleanup runs.
    case stop
    /// The signal belongs to the first request, so it has no effect.
    case none
    /// This is the second request. The process ends at once and kills the processes that it has started.
    case endAtOnce
  }

  /// The time after the first signal in which further signals belong to the same request.
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
