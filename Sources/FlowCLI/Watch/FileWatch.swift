import FlowCommandKit
import FlowModel

/// Notices when files are saved.
struct FileWatch {
  private let files: WatchedFiles
  private var seen: [ByteName: String]

  /// How often it looks; less often where looking takes long.
  private static let period = Duration.milliseconds(150)
  /// How long nothing may change for a save to be over.
  private static let calm = Duration.milliseconds(100)

  /// Watches these files from now on.
  init(_ files: WatchedFiles) {
    self.files = files
    seen = files.stamps()
  }

  /// What has changed since the beginning or the last ``change()``, without waiting; nil: nothing has.
  func changed() -> String? { Self.difference(seen, files.stamps()) }

  /// Waits until something has changed and stays as it is for a moment, as it does when a save is over; says what it was.
  /// Nil: standard output has no reader any more.
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
