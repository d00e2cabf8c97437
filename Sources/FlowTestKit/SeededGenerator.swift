import FlowBytes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A random number generator (SplitMix64). Its numbers depend only on the seed and are the same on every machine.
///
/// A property test prints the seed of a failed case. The environment variable `FLOWRUN_SEED` repeats that case:
///
/// ```swift
/// var random = SeededGenerator(seed: SeededGenerator.environmentSeed ?? 1)
/// let size = Int.random(in: 1...30, using: &random)
/// ```
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Creates a generator. Equal seeds produce equal numbers.
  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// The seed in the environment variable `FLOWRUN_SEED`, or nil if it is not set or not an integer.
  package static var environmentSeed: UInt64? {
    ProcessInfo.processInfo.environment["FLOWRUN_SEED"].flatMap(UInt64.init)
  }

  package mutating func next() -> UInt64 { generator.next() }

  /// Returns true with a probability of `percent` %.
  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Returns a random element of `choices`, which must not be empty.
  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
