import Foundation

/// The extent to which slow tests run. `make test` runs a part of them, `make test-release` more, and `make test-long`
/// all.
public enum TestExtent: Sendable {
  case usual, release, long

  private static let environment = ProcessInfo.processInfo.environment

  /// The extent selected by `FLOWRUN_LONG_TESTS` or `FLOWRUN_RELEASE_TESTS`.
  public static let current: TestExtent =
    environment["FLOWRUN_LONG_TESTS"] != nil ? .long : environment["FLOWRUN_RELEASE_TESTS"] != nil ? .release : .usual

  /// True unless the current extent is that of `make test`.
  public static var isFull: Bool { current != .usual }

  /// The number of the part to test. It is 0 in `make test`, and `make test-seeds` selects another one.
  private static let part = environment["FLOWRUN_SEEDS_PART"].flatMap { UInt64($0) } ?? 0

  /// Returns one of the numbers, depending on the current extent.
  public static func count(usual: Int, release: Int, long: Int) -> Int {
    switch current {
    case .usual: usual
    case .release: release
    case .long: long
    }
  }

  /// True if the case with this number is to be tested. `make test` tests the cases whose number is a multiple of
  /// `parts`, and `make test-seeds` another part of the same size. The other extents test all cases.
  public static func tries(_ number: Int, ofParts parts: Int) -> Bool {
    isFull || number % parts == Int(part % UInt64(parts))
  }

  /// Returns the seeds to test: only `FLOWRUN_SEED` if it is set, and otherwise a number of seeds that depends on the
  /// extent. `make test` always tests the same seeds, from 1 to `count`. `make test-seeds` tests as many others, up to
  /// `total`.
  ///
  /// - Parameters:
  ///   - count: The number of seeds for `make test` and `make test-seeds`.
  ///   - total: The largest seed that `make test-seeds` may select.
  ///   - release: The number of seeds for `make test-release`; `count` by default.
  ///   - long: The number of seeds for `make test-long`; `total` by default.
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
