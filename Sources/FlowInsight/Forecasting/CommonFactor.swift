import FlowModel

/// How slow each recorded run was as a whole, and how much of that each step shared: a slow device, or a busy one, is slow in
/// every step, so that the long runs are longer than steps drawn one by one would make them.
///
/// A run's factor is by how much its steps took longer than they usually do, together. A step follows it as its own times did
/// (the slope of its times over the factors), and all of them less where the steps' times were independent: so much that
/// the sum of steps drawn one by one has the variance that the runs' sums had. Sums and square roots alone, which are the
/// same on every machine.
struct CommonFactor: Sendable {
  /// By how much each run was slower than usual, as a share of the usual; 0 where that is not known.
  private var factors: [Double]
  /// By how many nanoseconds each step is longer in a run whose factor is greater by 1.
  private var slopes: [Double]
  /// The shortest time of each step.
  private var shortest: [Int]

  /// Runs from which nothing can be estimated.
  private static let leastRuns = 3
  /// A step follows the runs at most twice as much as all steps together.
  private static let greatestSlope = 2.0

  /// Learns from runs; `counts` says of which steps the sum is looked at.
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
    // Of the sum as a share of what is usual: what its variance would be were the steps independent, and what of it
    // steps have that follow the factors.
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

  /// How long a step took in one run, were it as slow as another one.
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
  /// How long it took in all, with the wait for a thread; nil: it did not run, or did not end well.
  fileprivate var nanoseconds: Int? {
    guard let last = attemptTimes.last, last.isSuccess else { return nil }
    return attemptTimes.reduce(waitNanoseconds) { $0 + $1.nanoseconds }
  }
}
