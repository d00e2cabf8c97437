/// How long to wait before the next attempt.
///
/// The first two retries come within 200 ms and 500 ms, then full jitter: anything from 0 to a limit that doubles from
/// 1 s up to 5 min. What the server asks for is a floor (S34, S36, V19). Source of full jitter: Brooker, "Exponential
/// Backoff And Jitter", 2015.
public struct Backoff: Hashable, Sendable {
  /// The number of attempts that have failed since the last success.
  public private(set) var failures = 0

  /// The longest wait of its own, in milliseconds.
  public static let capMilliseconds: Int64 = 300_000

  /// Nothing has failed yet.
  public init() {}

  /// The longest wait before the next attempt.
  public static func limitMilliseconds(afterFailures failures: Int) -> Int64 {
    switch failures {
    case ...1: 200
    case 2: 500
    default: min(capMilliseconds, 1000 << Int64(min(failures - 3, 20)))
    }
  }

  /// Notes a failure and draws the wait before the next attempt.
  public mutating func fail(
    retryAfterMilliseconds: Int64? = nil, using generator: inout some RandomNumberGenerator
  ) -> Int64 {
    failures += 1
    let drawn = Int64.random(in: 0...Self.limitMilliseconds(afterFailures: failures), using: &generator)
    return max(drawn, retryAfterMilliseconds ?? 0)
  }

  /// Notes a success.
  public mutating func succeed() { failures = 0 }
}
