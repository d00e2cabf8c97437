/// A small generator of random numbers. The same seed produces the same numbers on every machine.
///
/// Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  /// The difference between two consecutive states: 2^64 divided by the golden ratio, rounded to an odd number.
  public static let step: UInt64 = 0x9e37_79b9_7f4a_7c15
  private var state: UInt64

  /// Creates a generator from a seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= Self.step
    return Self.mixed(state)
  }

  /// Returns `value` with its bits mixed, so that each bit of the result depends on all bits of `value`. This is the
  /// output function of the generator.
  @inlinable @inline(__always)
  public static func mixed(_ value: UInt64) -> UInt64 {
    var mixed = value
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
