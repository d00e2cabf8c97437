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

  /// The runs of a store that are too many, too old, or no longer fit beside newer ones.
  public func excess(in store: some RunStore, nowMilliseconds: Int) throws(StoreProblem) -> [String] {
    excess(of: try store.runs(RunFilter()), sizes: try store.sizes(), nowMilliseconds: nowMilliseconds)
  }

  /// Of the runs of a store, the newest first, with the bytes that each has, those that are too many, too old, or no longer fit
  /// beside newer ones. Runs that go on are none, and neither is the newest success of a workflow of which a run stays.
  public func excess(of runs: [StoredRun], sizes: [String: Int], nowMilliseconds: Int) -> [String] {
    var counts: [String: Int] = [:]
    var total = 0
    var excess: [String] = []
    var successes: [String: String] = [:]
    var kept: Set<String> = []
    let oldest = nowMilliseconds - days * 86_400_000
    for run in runs {
      counts[run.file, default: 0] += 1
      total += sizes[run.id] ?? 0
      if run.state == .success, successes[run.file] == nil { successes[run.file] = run.id }
      guard run.state != .running else {
        kept.insert(run.file)
        continue
      }
      let isOneOfMany = counts[run.file, default: 0] > self.runs
      if isOneOfMany || run.startedMilliseconds < oldest || total > bytes {
        excess.append(run.id)
      } else {
        kept.insert(run.file)
      }
    }
    let newestSuccesses = Set(successes.filter { kept.contains($0.key) }.values)
    return excess.filter { !newestSuccesses.contains($0) }
  }
}
