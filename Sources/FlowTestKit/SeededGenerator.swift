import FlowBytes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Random numbers that one seed repeats on every machine: SplitMix64.
///
/// A property test prints the seed of the case that failed; `FLOWRUN_SEED` in the environment replays it:
///
/// ```swift
/// var random = SeededGenerator(seed: SeededGenerator.environmentSeed ?? 1)
/// let size = Int.random(in: 1...30, using: &random)
/// ```
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// A generator that gives the same numbers for the same seed.
  public init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// The seed in the environment variable `FLOWRUN_SEED`, or nil when it is not set or not a whole number.
  public static var environmentSeed: UInt64? {
    ProcessInfo.processInfo.environment["FLOWRUN_SEED"].flatMap(UInt64.init)
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 { generator.next() }

  /// True in `percent` of 100 draws.
  public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// One of `choices`, which must not be empty.
  public mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
