import FlowModel

/// Draws that depend on nothing but what they are for: a launch in which a step is put off draws the same for all others,
/// so that two forecasts can be compared launch by launch.
enum Draw {
  /// What a draw decides.
  enum Purpose: UInt64 {
    case device, noise, failure, run, whole, pause
  }

  /// A number from 0..<1 (the mixing of SplitMix64, Steele, Lea and Flood 2014).
  @inline(__always)
  static func unit(_ purpose: Purpose, seed: UInt64, launch: Int, step: StepIndex = 0, attempt: Int = 0) -> Double {
    Double(bits(purpose, seed: seed, launch: launch, step: step, attempt: attempt) >> 11) * 0x1p-53
  }

  /// An index below `count`.
  @inline(__always)
  static func index(
    below count: Int, _ purpose: Purpose, seed: UInt64, launch: Int, step: StepIndex = 0
  ) -> Int {
    let bits = bits(purpose, seed: seed, launch: launch, step: step, attempt: 0)
    return Int(bits.multipliedFullWidth(by: UInt64(count)).high)
  }

  @inline(__always)
  private static func bits(
    _ purpose: Purpose, seed: UInt64, launch: Int, step: StepIndex, attempt: Int
  ) -> UInt64 {
    let place = UInt64(UInt32(bitPattern: step)) << 16 | UInt64(attempt & 0xFF) << 8 | purpose.rawValue
    return mix(mix(seed &+ UInt64(launch) &* 0x9E37_79B9_7F4A_7C15) &+ place &* 0xD1B5_4A32_D192_ED03)
  }

  @inline(__always)
  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
