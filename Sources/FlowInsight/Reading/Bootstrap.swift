/// Bootstrap confidence intervals (Efron 1979) of medians and of their differences. An interval contains the value in
/// 95 % of the samples that are redrawn from the measurements.
package enum Bootstrap {
  /// The number of redrawn samples.
  static let samples = 1_000
  /// The minimum number of values for a meaningful interval.
  package static let leastCount = 5

  /// Returns the interval of the difference of the medians, `after` minus `before`. Returns nil if one side has fewer
  /// than ``leastCount`` values.
  package static func interval(before: [Double], after: [Double]) -> ClosedRange<Double>? {
    guard before.count >= leastCount, after.count >= leastCount else { return nil }
    var differences: [Double] = []
    differences.reserveCapacity(samples)
    for sample in 0..<samples {
      differences.append(drawnMedian(after, 2 * sample + 1) - drawnMedian(before, 2 * sample))
    }
    differences.sort()
    let (low, high) = (Quantiles.rank(0.025, of: samples), Quantiles.rank(0.975, of: samples))
    return differences[low]...differences[high]
  }

  /// Returns the interval of the quantile at `share`. Returns nil if there are fewer than ``leastCount`` values.
  package static func interval(of values: [Double], share: Double) -> ClosedRange<Double>? {
    guard values.count >= leastCount else { return nil }
    var drawn: [Double] = []
    for sample in 0..<samples {
      let again = self.sample(values, sample).sorted()
      drawn.append(again[Quantiles.rank(share, of: again.count)])
    }
    drawn.sort()
    return drawn[Quantiles.rank(0.025, of: samples)]...drawn[Quantiles.rank(0.975, of: samples)]
  }

  /// Returns the median, or nil if there are no values. For an even count, it is the mean of the two middle values.
  package static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    return middle(values.sorted())
  }

  private static func middle(_ sorted: [Double]) -> Double {
    let half = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
  }

  private static func drawnMedian(_ values: [Double], _ number: Int) -> Double {
    middle(sample(values, number).sorted())
  }

  private static func sample(_ values: [Double], _ number: Int) -> [Double] {
    values.indices.map { index in
      values[Draw.index(below: values.count, .run, seed: 1, run: number, step: Int32(truncatingIfNeeded: index))]
    }
  }
}
