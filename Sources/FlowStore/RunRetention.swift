/// The limits that decide which old runs are removed.
public struct RunRetention: Sendable, Hashable {
  /// The maximum number of runs that are kept for each workflow file.
  public var runs = 200
  /// The maximum number of days for which a run is kept.
  package var days = 90
  /// True to compute the age of a run by the clock alone. By default, the current time is taken to be no later than the
  /// start of either of the two newest runs, so that one run with a wrong clock does not cause removals.
  package var trustsClock = false
  /// The maximum size of all runs in a store, in bytes.
  public var bytes = 256 << 20

  /// Creates the default limits: 200 runs and 90 days for each workflow, 256 MiB in all.
  public init() {}

  /// Returns the ids of a store's undamaged runs that exceed a limit. `successes` must return the names of the steps
  /// that succeeded in a run.
  package func excess(
    in store: some RunStore, nowMilliseconds: Int, successes: (StoredRun) -> Set<String> = { _ in [] }
  ) throws(StoreProblem) -> [String] {
    excess(
      of: try store.runs(RunFilter()), sizes: try store.sizes(), nowMilliseconds: nowMilliseconds, successes: successes)
  }

  /// Returns the ids of runs that exceed a limit. `runs` must be sorted, the newest first, and `sizes` are in bytes.
  /// Running runs are never returned. If any run of a workflow is kept, so are its newest successful run and the runs
  /// with the newest success of each step.
  package func excess(
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

  /// Returns the candidates that contain the newest success of no step.
  private static func withoutNewest(
    _ candidates: [StoredRun], among runs: [StoredRun], _ successes: (StoredRun) -> Set<String>
  ) -> [String] {
    let found = Dictionary(candidates.map { ($0.id, successes($0)) }, uniquingKeysWith: { first, _ in first })
    // Other runs are read only until a later success has been found for each of these steps.
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
