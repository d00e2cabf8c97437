import Foundation

/// The extent of the tests: `make test` runs a part, `make test-release` more of the slow ones, `make test-long`
/// everything.
public enum TestExtent: Sendable {
  case usual, release, long

  private static let environment = ProcessInfo.processInfo.environment

  /// The extent set by `FLOWRUN_LONG_TESTS` or `FLOWRUN_RELEASE_TESTS`.
  public static let current: TestExtent =
    environment["FLOWRUN_LONG_TESTS"] != nil ? .long : environment["FLOWRUN_RELEASE_TESTS"] != nil ? .release : .usual

  /// True if slow tests run completely.
  public static var isFull: Bool { current != .usual }

  /// The number that `scripts/test` derives from the commit and prints, so that each commit tests another part.
  private static let part = environment["FLOWRUN_SEEDS_PART"].flatMap { UInt64($0) } ?? 0

  /// Returns the number for the current extent.
  public static func count(usual: Int, release: Int, long: Int) -> Int {
    switch current {
    case .usual: usual
    case .release: release
    case .long: long
    }
  }

  /// True if the case with this number is to be tested: `make test` tests one in `parts`, in turn, and the others test
  /// all.
  public static func tries(_ number: Int, ofParts parts: Int) -> Bool {
    isFull || number % parts == Int(part % UInt64(parts))
  }

  /// Returns the seeds to test: the one in `FLOWRUN_SEED`, or all for the long tests, or else `count` of the first
  /// `total`, in turn.
  ///
  /// - Parameters:
  ///   - count: the number of seeds for `make test`.
  ///   - total: the number of seeds from which these are selected.
  ///   - release: the number of seeds for `make test-release`, by default `count`.
  ///   - long: the number of seeds for `make test-long`, by default `total`.
  public static func seeds(
    _ count: UInt64, of total: UInt64, release: UInt64? = nil, long: UInt64? = nil
  ) -> ClosedRange<UInt64> {
    if let seed = environment["FLOWRUN_SEED"].flatMap({ UInt64($0) }) { return seed...seed }
    if current == .long { return 1...(long ?? total) }
    let count = current == .release ? release ?? count : count
    let first = part % max(total / count, 1) * count + 1
    return first...(first + count - 1)
  }
}
