import FlowModel

/// Statistics of a step's durations in recorded runs.
package struct StepHistory: Sendable, Hashable {
  /// The number of runs in which the step succeeded.
  package let count: Int
  /// The median of the recorded durations.
  package let median: Duration
  /// The 95th percentile of the recorded durations.
  package let percentile95: Duration

  /// Computes the statistics from durations in any order. Returns nil for an empty list.
  package init?(_ durations: [Duration]) {
    guard !durations.isEmpty else { return nil }
    let sorted = durations.sorted()
    // Uses the nearest rank, so that the result is one of the durations.
    func rank(_ percent: Int) -> Duration { sorted[(sorted.count * percent + 99) / 100 - 1] }
    count = sorted.count
    median = rank(50)
    percentile95 = rank(95)
  }

  /// A description such as `took 80ms in the median of 12 runs, 120ms at P95`.
  var words: String {
    let runs = count == 1 ? "1 run" : "\(count) runs"
    return "took \(Self.text(median)) in the median of \(runs), \(Self.text(percentile95)) at P95"
  }

  private static func text(_ duration: Duration) -> String {
    // More digits would be noise, so durations from 1 s are rounded to 10 ms, those from 1 ms to 0.1 ms, and others to
    // 1 µs.
    let nanoseconds = duration.nanoseconds
    let step = nanoseconds >= 1_000_000_000 ? 10_000_000 : nanoseconds >= 1_000_000 ? 100_000 : 1000
    return DurationText.format(.nanoseconds((nanoseconds + step / 2) / step * step))
  }
}
