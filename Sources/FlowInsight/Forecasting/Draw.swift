import FlowBytes
import FlowModel

/// Random draws that depend only on their purpose and indices. Deferring a step does not change the draws of other
/// steps, so two forecasts can be compared run by run.
enum Draw {
  /// The purpose of a draw. Draws for different purposes are independent.
  enum Purpose: UInt64 {
    case device, noise, failure, run, whole, pause
  }

  /// Returns a number from 0 up to but not including 1.
  @inline(__always)
  static func unit(_ purpose: Purpose, seed: UInt64, run: Int, step: StepIndex = 0, attempt: Int = 0) -> Double {
    Double(bits(purpose, seed: seed, run: run, step: step, attempt: attempt) >> 11) * 0x1p-53
  }

  /// Returns an index from 0 up to but not including `count`.
  @inline(__always)
  static func index(
    below count: Int, _ purpose: Purpose, seed: UInt64, run: Int, step: StepIndex = 0
  ) -> Int {
    let bits = bits(purpose, seed: seed, run: run, step: step, attempt: 0)
    return Int(bits.multipliedFullWidth(by: UInt64(count)).high)
  }

  @inline(__always)
  private static func bits(
    _ purpose: Purpose, seed: UInt64, run: Int, step: StepIndex, attempt: Int
  ) -> UInt64 {
    let place = UInt64(UInt32(bitPattern: step)) << 16 | UInt64(attempt & 0xFF) << 8 | purpose.rawValue
    let drawn = SplitMix64.mixed(seed &+ (UInt64(run) &+ 1) &* SplitMix64.step)
    return SplitMix64.mixed(drawn &+ place &* 0xD1B5_4A32_D192_ED03 &+ SplitMix64.step)
  }
}
