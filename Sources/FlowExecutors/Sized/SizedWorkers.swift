import FlowModel

/// Workers for steps with `resources`, from an engine that manages resources of machines: one per body, with the size
/// that the step requests. It ends with the body.
package struct SizedWorkers: Sendable {
  /// The number of concurrent bodies of the executor, regardless of their sizes.
  var slots: Int
  /// The start of a body's worker, from its resources, its name and the file for its result.
  var start: @Sendable (_ request: MachineResources, _ body: String, _ result: ResultFile?) -> WorkerStart
  /// Returns true if the worker of any of these bodies waits until others release resources; called on a thread that
  /// may block.
  var lackRoom: @Sendable (_ bodies: [String]) -> Bool
  /// Assigns tasks of job arrays to items of fan-outs, or nil if they are treated like other bodies.
  var arrays: JobArrays?
  /// The engine's accounting of jobs by number or name, on a thread that may block; nil if there is none.
  var account: (@Sendable (_ jobs: [String], _ names: [String]) throws(ExecutorProblem) -> [AccountingLine])?
  /// The interval between such requests.
  var patience = Duration.seconds(2)
}

/// The workers with a single body, some of which may wait for room.
struct Claims {
  /// One worker with a single body.
  struct Claim {
    var body: String
    /// Nil until the engine has an allocation for it.
    var pool: WorkerPool?
    var file: ResultFile?

    var isReady: Bool { pool?.state.withLock { $0.isReady } ?? false }
  }

  private(set) var all: [Int: Claim] = [:]
  private var lastNumber = 0
  /// True if waiting workers are being watched.
  private var isWatched = false
  private var isClosed = false
  /// Files that are kept so that no worker writes them any more.
  private var fences: [ResultFile] = []
  private var lastFile: ResultFile?

  /// Adds a claim and returns whether a watch of waiting claims must be started; returns nil if the executor is closed.
  mutating func add(_ claim: Claim) -> (number: Int, mustWatch: Bool)? {
    if isClosed { return nil }
    lastNumber += 1
    all[lastNumber] = claim
    lastFile = claim.file ?? lastFile
    defer { isWatched = true }
    return (lastNumber, !isWatched)
  }

  /// Sets the worker of a claim that was added without one; returns false if the executor is closed.
  mutating func setPool(_ pool: WorkerPool, of number: Int) -> Bool {
    all[number]?.pool = pool
    return !isClosed
  }

  /// Removes a claim whose worker has ended.
  mutating func remove(_ number: Int) { all[number] = nil }

  /// Keeps a file until the executor is closed.
  mutating func keep(_ fence: ResultFile) { fences.append(fence) }

  /// The claims without a worker, and the number of the newest one. Returns nil and ends the watch if there are none.
  mutating func waiting() -> (newest: Int, bodies: [String])? {
    if all.isEmpty {
      isWatched = false
      return nil
    }
    let waiting = all.filter { !$0.value.isReady }
    return (waiting.keys.max() ?? 0, waiting.values.map(\.body))
  }

  /// True if a claim has no worker yet.
  var isAwaitingWorkers: Bool { all.values.contains { !$0.isReady } }

  /// Closes the claims; returns their pools, the files that were kept, and any one file.
  mutating func close() -> (pools: [WorkerPool], fences: [ResultFile], any: ResultFile?) {
    isClosed = true
    return (all.values.compactMap(\.pool), fences, lastFile)
  }
}
