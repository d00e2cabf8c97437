import FlowCommandKit
import FlowModel

/// Detects changes to files by checking the files periodically.
struct FileWatch {
  private let files: WatchedFiles
  private var seen: [ByteName: String]

  /// The minimum time between two checks. If checks are slow, the time is longer.
  private static let period = Duration.milliseconds(150)
  /// The time without changes after which a file counts as completely saved.
  private static let calm = Duration.milliseconds(100)

  init(_ files: WatchedFiles) {
    self.files = files
    seen = files.stamps()
  }

  /// Returns a file that has changed since the start or since the last ``change()``, or nil if none has. Does not wait.
  func changed() -> String? { Self.difference(seen, files.stamps()) }

  /// Waits until a file has changed and is completely saved. Returns this file, or nil if the reader of standard output
  /// has ended.
  mutating func change() async -> String? {
    var pause = Self.period
    while !StandardOutput.isReaderGone {
      try? await Task.sleep(for: pause)
      var now: [ByteName: String] = [:]
      pause = max(Self.period, ContinuousClock().measure { now = files.stamps() } * 10)
      guard var difference = Self.difference(seen, now) else { continue }
      while true {
        seen = now
        try? await Task.sleep(for: Self.calm)
        now = files.stamps()
        guard let another = Self.difference(seen, now) else { return difference }
        difference = another
      }
    }
    return nil
  }

  private static func difference(_ before: [ByteName: String], _ now: [ByteName: String]) -> String? {
    if before == now { return nil }
    return Set(before.keys).union(now.keys).filter { before[$0] != now[$0] }.min()?.text
  }
}
