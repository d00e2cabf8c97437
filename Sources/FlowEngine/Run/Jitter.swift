import FlowBytes
import FlowModel

/// Random factors for the pauses before retries. They depend only on seed, step and attempt.
enum Jitter {
  /// Returns a random number in 0..<1.
  static func draw(seed: UInt64, step: StepIndex, attempt: Int) -> Double {
    let number = UInt64(bitPattern: Int64(step)) &* 256 &+ UInt64(attempt) &+ 1
    return Double(SplitMix64.mixed(seed &+ number &* SplitMix64.step) >> 11) * 0x1p-53
  }
}
