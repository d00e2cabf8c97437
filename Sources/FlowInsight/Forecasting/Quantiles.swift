/// Sorted values whose quantiles are found by nearest rank.
package struct Quantiles: Sendable {
  private let sorted: [Int]

  /// Sorts values. `Int.max` stands for an event that never happened.
  package init(_ values: [Int]) { sorted = values.sorted() }

  package var count: Int { sorted.count }

  /// Returns the quantile at `share`: the smallest value that at least this share of the values does not exceed.
  /// Returns nil if it is `Int.max` or there are no values.
  package func value(_ share: Double) -> Int? {
    guard !sorted.isEmpty else { return nil }
    let value = sorted[Self.rank(share, of: sorted.count)]
    return value == .max ? nil : value
  }

  /// The greatest value except `Int.max`, or nil if there is none.
  package var last: Int? { sorted.last { $0 != .max } }

  /// Returns the share of the values that are below `limit`.
  package func share(below limit: Int) -> Double {
    guard !sorted.isEmpty else { return 0 }
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return Double(low) / Double(sorted.count)
  }

  /// Returns the index of the nearest rank of a quantile.
  static func rank(_ share: Double, of count: Int) -> Int {
    max(0, min(count - 1, Int((share * Double(count)).rounded(.up)) - 1))
  }
}

/// A duration in four bytes, because a forecast stores one for each step and run. It is exact to the nanosecond below 1
/// s, to the microsecond below 1,000 s, and so on.
package struct PackedLength: Sendable, Hashable {
  /// The unit in the upper two bits, as a power of 1,000 nanoseconds, and the count of units in the lower 30. A longer
  /// duration has a greater value.
  fileprivate var bits: UInt32

  /// Marks a step that did not run.
  static let none = PackedLength(bits: .max)

  private init(bits: UInt32) { self.bits = bits }
  private static let most: UInt32 = 1 << 30 - 1

  /// Packs a duration. Negative durations become 0.
  package init(nanoseconds: Int) {
    var (count, unit) = (max(0, nanoseconds), UInt32(0))
    while count >= 1_000_000_000, unit < 3 {
      count = (count + 500) / 1_000
      unit += 1
    }
    bits = unit << 30 | UInt32(min(count, Int(Self.most) - 1))
  }

  fileprivate init(radixSorted bits: UInt32) { self.bits = bits }

  fileprivate var milliseconds: Double {
    var nanoseconds = Int(bits & Self.most)
    for _ in 0..<bits >> 30 { nanoseconds *= 1_000 }
    return Double(nanoseconds) / 1_000_000
  }
}

/// Sorted durations. A forecast has many of them for each step, so they are sorted by radix, 11 bits at a time.
package struct LengthQuantiles: Sendable {
  private let sorted: [PackedLength]

  package init(_ values: [PackedLength]) {
    var from = values.map(\.bits)
    var into = [UInt32](repeating: 0, count: from.count)
    for shift: UInt32 in [0, 11, 22] {
      var starts = [Int](repeating: 0, count: 2049)
      for bits in from { starts[Int((bits >> shift) & 2047) + 1] += 1 }
      for index in 0..<2048 { starts[index + 1] += starts[index] }
      for bits in from {
        let digit = Int((bits >> shift) & 2047)
        into[starts[digit]] = bits
        starts[digit] += 1
      }
      swap(&from, &into)
    }
    sorted = from.map { PackedLength(radixSorted: $0) }
  }

  package var count: Int { sorted.count }

  /// Returns the quantile at `share` in milliseconds: the smallest length that at least this share of the lengths does
  /// not exceed. Returns nil if there are none.
  package func value(_ share: Double) -> Double? {
    sorted.isEmpty ? nil : sorted[Quantiles.rank(share, of: sorted.count)].milliseconds
  }
}
