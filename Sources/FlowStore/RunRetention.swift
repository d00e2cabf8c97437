/// How many runs are kept.
public struct RunRetention: Sendable, Hashable {
  /// The most runs of one file.
  public var runs = 200
  /// How long one is kept, in days.
  public var days = 90
  /// The most bytes of all runs of a store together.
  public var bytes = 256 << 20

  /// The usual: 200 runs or 90 days a workflow, 256 MiB in all.
  public init() {}

  /// Of the runs of a store, the newest first, those that are too many or too old. Runs that go on are none.
  public func excess(of runs: [StoredRun], nowMilliseconds: Int) -> [String] {
    var counts: [String: Int] = [:]
    var excess: [String] = []
    let oldest = nowMilliseconds - days * 86_400_000
    for run in runs {
      counts[run.file, default: 0] += 1
      guard run.state != .running else { continue }
      if counts[run.file, default: 0] > self.runs || run.startedMilliseconds < oldest { excess.append(run.id) }
    }
    return excess
  }
}
