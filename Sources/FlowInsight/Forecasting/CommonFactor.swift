import FlowModel

/// The slowness of each recorded run as a whole, and how strongly each step depends on it. On a slow or busy device,
/// all steps take longer. Long runs are therefore longer than independent draws of step times would predict.
///
/// The factor of a run is the relative excess of its total step time over the usual one. The slope of a step is the
/// regression of its times on these factors. All slopes are scaled down so that independently drawn steps have the
/// variance of the recorded sums. Only sums and square roots are used, so the results are the same on every machine.
struct CommonFactor: Sendable {
  /// The factor of each run: its excess time as a share of the usual time, or 0 if unknown.
  private var factors: [Double]
  /// The slope of each step: the additional nanoseconds in a run whose factor is greater by 1.
  private var slopes: [Double]
  /// The shortest recorded time of each step. A converted time is never shorter, unless the measured time itself was.
  private var shortest: [Int]

  /// The minimum number of runs for an estimate of factors and slopes.
  private static let leastRuns = 3
  /// The maximum slope of a step, relative to its usual time.
  private static let greatestSlope = 2.0

  /// Estimates the factors from runs. `counts` selects the steps whose times are summed. If none of these has a time,
  /// those of all steps are summed.
  init(_ runs: [RecordedRun], steps: Int, counts: (Int) -> Bool) {
    factors = Array(repeating: 0, count: runs.count)
    slopes = Array(repeating: 0, count: steps)
    shortest = Array(repeating: 0, count: steps)
    guard runs.count >= Self.leastRuns else { return }
    let times = (0..<steps).map { step in runs.map { $0.steps[step]?.nanoseconds } }
    let usual = times.map { Self.median($0.compactMap(\.self)) }
    for step in 0..<steps { shortest[step] = times[step].compactMap(\.self).min() ?? 0 }
    var summed = (0..<steps).filter { counts($0) && usual[$0] > 0 }
    if summed.isEmpty { summed = (0..<steps).filter { usual[$0] > 0 } }
    for run in runs.indices {
      let known = summed.filter { times[$0][run] != nil }
      let expected = known.reduce(0.0) { $0 + Double(usual[$1]) }
      guard expected > 0 else { continue }
      factors[run] = known.reduce(0.0) { $0 + Double(times[$1][run]!) } / expected - 1
    }
    let total = summed.reduce(0.0) { $0 + Double(usual[$1]) }
    let spread = Self.covariance(factors, factors)
    guard spread > 0 else { return }
    // Variances relative to the square of the usual sum: `independent` if the steps were independent, `following` for
    // the part that comes from steps that follow the factors.
    var (independent, following) = (0.0, 0.0)
    for step in 0..<steps where usual[step] > 0 {
      let known = runs.indices.filter { times[step][$0] != nil }
      guard known.count >= Self.leastRuns else { continue }
      let values = known.map { Double(times[step][$0]!) }
      let own = Self.covariance(values, known.map { factors[$0] })
      slopes[step] = max(0, min(own / spread, Self.greatestSlope * Double(usual[step])))
      guard summed.contains(step) else { continue }
      independent += Self.covariance(values, values) / (total * total)
      following += slopes[step] * slopes[step] / (total * total)
    }
    let missing = following * following + (1 + following) * (1 - independent / spread)
    let share = missing <= 0 ? 0 : max(0, min(1, (following + missing.squareRoot()) / (1 + following)))
    for step in slopes.indices { slopes[step] *= share }
  }

  /// Converts a step's duration in the run `run` to its duration at the slowness of the run `other`.
  func nanoseconds(_ nanoseconds: Int, of step: Int, in run: Int, asIn other: Int) -> Int {
    guard slopes[step] > 0 else { return nanoseconds }
    let longer = slopes[step] * (factors[other] - factors[run])
    return max(min(nanoseconds, shortest[step]), nanoseconds + Int(longer))
  }

  private static func median(_ values: [Int]) -> Int {
    values.isEmpty ? 0 : values.sorted()[values.count / 2]
  }

  private static func covariance(_ first: [Double], _ second: [Double]) -> Double {
    let count = Double(first.count)
    let (firstMean, secondMean) = (first.reduce(0, +) / count, second.reduce(0, +) / count)
    return zip(first, second).reduce(0) { $0 + ($1.0 - firstMean) * ($1.1 - secondMean) } / (count - 1)
  }
}

extension RecordedRun.Step {
  /// The total time including the wait for a thread, or nil if the step did not run successfully.
  fileprivate var nanoseconds: Int? {
    guard let last = attemptTimes.last, last.isSuccess else { return nil }
    return attemptTimes.reduce(waitNanoseconds) { $0 + $1.nanoseconds }
  }
}
