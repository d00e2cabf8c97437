import FlowModel

/// Workers for steps with `resources`, from an engine that manages the resources of machines. Each worker runs one
/// body, has the size that the step requests, and ends with the body.
package struct SizedWorkers: Sendable {
  /// The maximum number of concurrent bodies, regardless of their sizes.
  var slots: Int
  /// Returns the start of a body's worker, given the requested resources, the body's name and the file for its result.
  var start: @Sendable (_ request: MachineResources, _ body: String, _ result: ResultFile?) -> WorkerStart
  /// Returns true if a worker for one of these bodies waits until others release resources. It may block the thread.
  var lackRoom: @Sendable (_ bodies: [String]) -> Bool
  /// The job arrays for items of fan-outs, or nil if items are handled like other bodies.
  var arrays: JobArrays?
  /// Returns the engine's accounting data of jobs, given their numbers or names. It may block the thread. Nil if the
  /// engine has no accounting.
  var account: (@Sendable (_ jobs: [String], _ names: [String]) throws(ExecutorProblem) -> [AccountingLine])?
  /// The interval at which the engine is asked.
  var patience = Duration.seconds(2)
}

/// The workers that run a single body, some of which may wait for resources.
struct Claims {
  /// One worker that runs a single body.
  struct Claim {
    var body: String
    /// The worker, or nil until the engine has allocated resources for it.
    var pool: WorkerPool?
    var file: ResultFile?

    var isReady: Bool { pool?.state.withLock { $0.isReady } ?? false }
  }

  private(set) var all: [Int: Claim] = [:]
  private var lastNumber = 0
  /// True if a task watches the waiting workers.
  private var isWatched = false
  private var isClosed = false
  /// Files that are kept so that lost workers cannot write them.
  private var fences: [ResultFile] = []
  private var lastFile: ResultFile?

  /// Adds a claim. Returns its number and whether a task must start to watch waiting claims, or nil if the executor is
  /// closed.
  mutating func add(_ claim: Claim) -> (number: Int, mustWatch: Bool)? {
    if isClosed { return nil }
    lastNumber += 1
    all[lastNumber] = claim
    lastFile = claim.file ?? lastFile
    defer { isWatched = true }
    return (lastNumber, !isWatched)
  }

  /// Sets the worker of a claim that was added without one. Returns false if the executor is closed.
  mutating func setPool(_ pool: WorkerPool, of number: Int) -> Bool {
    all[number]?.pool = pool
    return !isClosed
  }

  mutating func remove(_ number: Int) { all[number] = nil }

  /// Keeps a file until the executor is closed.
  mutating func keep(_ fence: ResultFile) { fences.append(fence) }

  /// Returns the bodies of claims without a ready worker and the number of the newest claim. Returns nil and ends the
  /// watch if there are no claims.
  mutating func waiting() -> (newest: Int, bodies: [String])? {
    if all.isEmpty {
      isWatched = false
      return nil
    }
    let waiting = all.filter { !$0.value.isReady }
    return (waiting.keys.max() ?? 0, waiting.values.map(\.body))
  }

  var isAwaitingWorkers: Bool { all.values.contains { !$0.isReady } }

  /// Closes the claims. Returns their workers, the files that were kept, and one of all files.
  mutating func close() -> (pools: [WorkerPool], fences: [ResultFile], any: ResultFile?) {
    isClosed = true
    return (all.values.compactMap(\.pool), fences, lastFile)
  }
}
