/// Sorted values, asked by shares: the value of nearest rank.
package struct Quantiles: Sendable {
  private let sorted: [Int]

  /// Sorts whole numbers; `Int.max` stands for what never happened.
  package init(_ values: [Int]) { sorted = values.sorted() }

  /// How many values there are.
  package var count: Int { sorted.count }

  /// The least value that `share` of them do not exceed; nil: it is `Int.max`, or there are none.
  package func value(_ share: Double) -> Int? {
    guard !sorted.isEmpty else { return nil }
    let value = sorted[Self.rank(share, of: sorted.count)]
    return value == .max ? nil : value
  }

  /// The share of the values that are below `limit`.
  package func share(below limit: Int) -> Double {
    guard !sorted.isEmpty else { return 0 }
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return Double(low) / Double(sorted.count)
  }

  /// The index of nearest rank.
  static func rank(_ share: Double, of count: Int) -> Int {
    max(0, min(count - 1, Int((share * Double(count)).rounded(.up)) - 1))
  }
}

/// The same for lengths in milliseconds, sorted by their bits: 11 at a time, since there are many columns of them.
package struct LengthQuantiles: Sendable {
  private let sorted: [Float]

  /// Sorts lengths, none of which is negative or NaN.
  package init(_ values: [Float]) {
    var from = values.map(\.bitPattern)
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
    sorted = from.map { Float(bitPattern: $0) }
  }

  /// How many values there are.
  package var count: Int { sorted.count }

  /// The least length that `share` of them do not exceed, in milliseconds; nil: there are none.
  package func value(_ share: Double) -> Double? {
    sorted.isEmpty ? nil : Double(sorted[Quantiles.rank(share, of: sorted.count)])
  }
}
