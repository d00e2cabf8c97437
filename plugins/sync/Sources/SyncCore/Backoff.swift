/// The pause before the next attempt after failures.
///
/// The first two retries come within 200 ms and 500 ms. After that the pause has full jitter: a random time between 0
/// and a limit that doubles from 1 s up to 5 min. A pause that the server asks for is the minimum (S34, S36, V19).
/// Source of full jitter: Brooker, "Exponential Backoff And Jitter", 2015.
package struct Backoff: Hashable, Sendable {
  /// The number of attempts that have failed since the last success.
  package private(set) var failures = 0

  /// The longest random pause, in milliseconds. A server may ask for a longer one.
  package static let capMilliseconds: Int64 = 300_000

  package init() {}

  /// Returns the longest random pause before the next attempt.
  package static func limitMilliseconds(afterFailures failures: Int) -> Int64 {
    switch failures {
    case ...1: 200
    case 2: 500
    default: min(capMilliseconds, 1000 << Int64(min(failures - 3, 20)))
    }
  }

  /// Counts a failure and returns a random pause before the next attempt, in milliseconds.
  package mutating func fail(
    retryAfterMilliseconds: Int64? = nil, using generator: inout some RandomNumberGenerator
  ) -> Int64 {
    failures += 1
    let drawn = Int64.random(in: 0...Self.limitMilliseconds(afterFailures: failures), using: &generator)
    return max(drawn, retryAfterMilliseconds ?? 0)
  }

  /// Resets the count of failures.
  package mutating func succeed() { failures = 0 }
}
