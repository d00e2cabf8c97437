/// The number of runs that are kept.
public struct RunRetention: Sendable, Hashable {
  /// The most runs of one file.
  public var runs = 200
  /// How long one is kept, in days.
  public var days = 90
  /// Whether the age of a run is how long ago it began by the clock alone. By default it is also counted from the runs that were
  /// recorded last, without the newest: one run under a clock that is wrong removes nothing.
  package var trustsClock = false
  /// The most bytes of all runs of a store together.
  public var bytes = 256 << 20

  /// The usual: 200 runs or 90 days a workflow, 256 MiB in all.
  public init() {}

  /// The runs of a store that are too many, too old, or no longer fit next to newer ones; damaged ones are none of
  /// them. `successes` says which steps of a run ended well, by their names.
  public func excess(
    in store: some RunStore, nowMilliseconds: Int, successes: (StoredRun) -> Set<String> = { _ in [] }
  ) throws(StoreProblem) -> [String] {
    excess(
      of: try store.runs(RunFilter()), sizes: try store.sizes(), nowMilliseconds: nowMilliseconds, successes: successes)
  }

  /// Of the runs of a store, the newest first, with the bytes that each has, those that are too many, too old, or no
  /// longer fit next to newer ones. Runs that continue are none; of a workflow of which a run stays neither is its newest
  /// success, nor the one with the newest success of any step.
  public func excess(
    of runs: [StoredRun], sizes: [String: Int], nowMilliseconds: Int,
    successes: (StoredRun) -> Set<String> = { _ in [] }
  ) -> [String] {
    var counts: [String: Int] = [:]
    var total = 0
    var excess: [String: [StoredRun]] = [:]
    var newestSuccesses: [String: String] = [:]
    var kept: Set<String> = []
    let now = trustsClock ? nowMilliseconds : runs.prefix(2).map(\.startedMilliseconds).reduce(nowMilliseconds, min)
    let oldest = now - days * 86_400_000
    for run in runs {
      counts[run.file, default: 0] += 1
      total += sizes[run.id] ?? 0
      if run.state == .success, newestSuccesses[run.file] == nil { newestSuccesses[run.file] = run.id }
      guard run.state != .running else {
        kept.insert(run.file)
        continue
      }
      let isOneOfMany = counts[run.file, default: 0] > self.runs
      if isOneOfMany || run.startedMilliseconds < oldest || total > bytes {
        excess[run.file, default: []].append(run)
      } else {
        kept.insert(run.file)
      }
    }
    var dropped: Set<String> = []
    for (file, candidates) in excess {
      guard kept.contains(file) else {
        dropped.formUnion(candidates.map(\.id))
        continue
      }
      let others = candidates.filter { $0.id != newestSuccesses[file] }
      dropped.formUnion(Self.withoutNewest(others, among: runs.filter { $0.file == file }, successes))
    }
    return runs.map(\.id).filter(dropped.contains)
  }

  /// Of the candidates among the runs of a workflow, those that have the newest success of no step.
  private static func withoutNewest(
    _ candidates: [StoredRun], among runs: [StoredRun], _ successes: (StoredRun) -> Set<String>
  ) -> [String] {
    let found = Dictionary(candidates.map { ($0.id, successes($0)) }, uniquingKeysWith: { first, _ in first })
    // Others are looked at only until each step in question has been seen to succeed later.
    var open = found.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    var without: [String] = []
    for run in runs {
      if let own = found[run.id] {
        if own.isDisjoint(with: open) { without.append(run.id) }
        open.subtract(own)
      } else if !open.isEmpty {
        open.subtract(successes(run))
      }
    }
    return without
  }
}
