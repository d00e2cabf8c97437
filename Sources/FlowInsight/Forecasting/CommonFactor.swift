import FlowModel

/// The slowness of each recorded run as a whole, and how strongly each step follows it. A slow or busy device is slow
/// in every step, so long runs are longer than steps drawn independently would make them.
///
/// A run's factor is by how much its steps together took longer than usual. A step follows the factor by the slope of
/// its times over the factors. Where step times were independent, all slopes are reduced until the sum of independently
/// drawn steps has the variance of the recorded sums. Only sums and square roots are used, so results are the same on
/// every machine.
struct CommonFactor: Sendable {
  /// How much slower than usual each run was, as a share of the usual time; 0 if unknown.
  private var factors: [Double]
  /// The nanoseconds by which each step takes longer in a run whose factor is greater by 1.
  private var slopes: [Double]
  /// The shortest time of each step.
  private var shortest: [Int]

  /// The number of runs below which nothing is estimated.
  private static let leastRuns = 3
  /// The greatest slope of a step, relative to that of all steps together.
  private static let greatestSlope = 2.0

  /// Estimates factors from runs. `counts` selects the steps that are part of the sum.
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
    // The variance that the sum, relative to the usual sum, would have if steps were independent, and the part of it
    // from steps that follow the factors.
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

  /// Scales the length of a step in one run to the slowness of another run.
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
  /// The total time including the wait for a thread, or nil if the step did not run or did not succeed.
  fileprivate var nanoseconds: Int? {
    guard let last = attemptTimes.last, last.isSuccess else { return nil }
    return attemptTimes.reduce(waitNanoseconds) { $0 + $1.nanoseconds }
  }
}
