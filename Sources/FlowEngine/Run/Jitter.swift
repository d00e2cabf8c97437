import FlowModel

/// Draws for retries: the same for the same seed, step and try.
enum Jitter {
  /// A number from 0..<1 (SplitMix64, Steele, Lea and Flood 2014).
  static func draw(seed: UInt64, step: StepIndex, attempt: Int) -> Double {
    var mixed = seed &+ (UInt64(bitPattern: Int64(step)) &* 256 &+ UInt64(attempt) &+ 1) &* 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    mixed ^= mixed >> 31
    return Double(mixed >> 11) * 0x1p-53
  }
}
