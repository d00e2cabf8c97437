import FlowModel

/// How long a step took in the runs of its workflow that are recorded.
public struct StepHistory: Sendable, Hashable {
  /// In how many runs it succeeded.
  public let count: Int
  /// Half of them took no longer.
  public let median: Duration
  /// Nineteen of twenty took no longer.
  public let percentile95: Duration

  /// Of these durations, in whatever order; nil: there are none.
  public init?(_ durations: [Duration]) {
    guard !durations.isEmpty else { return nil }
    let sorted = durations.sorted()
    // The nearest rank: a duration that was measured.
    func rank(_ percent: Int) -> Duration { sorted[(sorted.count * percent + 99) / 100 - 1] }
    count = sorted.count
    median = rank(50)
    percentile95 = rank(95)
  }

  /// `took 80ms in the median of 12 runs, 120ms at P95`
  var words: String {
    let runs = count == 1 ? "1 run" : "\(count) runs"
    return "took \(Self.text(median)) in the median of \(runs), \(Self.text(percentile95)) at P95"
  }

  private static func text(_ duration: Duration) -> String {
    // To three digits or so: more are noise.
    let nanoseconds = duration.nanoseconds
    let step = nanoseconds >= 1_000_000_000 ? 10_000_000 : nanoseconds >= 1_000_000 ? 100_000 : 1000
    return DurationText.format(.nanoseconds((nanoseconds + step / 2) / step * step))
  }
}
