import FlowModel

/// Workers for steps with `resources`, started by an engine that manages the resources of machines. Each worker runs
/// one body, has the size that the step requests, and ends with the body.
package struct SizedWorkers: Sendable {
  /// The maximum number of concurrent bodies, regardless of their sizes.
  var slots: Int
  /// Returns the start of a body's worker, given the requested resources, the body's name and the file for its result.
  var start: @Sendable (_ request: MachineResources, _ body: String, _ result: ResultFile?) -> WorkerStart
  /// Returns true if the worker for one of these bodies waits because other jobs use the resources. May block the
  /// thread.
  var lackRoom: @Sendable (_ bodies: [String]) -> Bool
  /// The job arrays for items of fan-outs, or nil if items are handled like other bodies.
  var arrays: JobArrays?
  /// Returns the engine's accounting data of jobs, given by their numbers or names. May block the thread. Nil if the
  /// engine has no accounting.
  var account: (@Sendable (_ jobs: [String], _ names: [String]) throws(ExecutorProblem) -> [AccountingLine])?
  /// The interval at which the engine is asked whether bodies wait for resources.
  var patience = Duration.seconds(2)
}

/// The bodies that run, or wait to run, on separate workers.
struct Claims {
  /// A body with its own worker.
  struct Claim {
    var body: String
    /// The worker, or nil until the engine has allocated resources for it.
    var pool: WorkerPool?
    var file: ResultFile?

    var isReady: Bool { pool?.state.withLock { $0.isReady } ?? false }
  }

  private(set) var all: [Int: Claim] = [:]
  private var lastNumber = 0
  /// True while a task checks whether workers must give up their allocations for waiting bodies.
  private var isWatched = false
  private var isClosed = false
  /// Result files that must exist until the executor is closed, because otherwise lost workers could still write
  /// results.
  private var fences: [ResultFile] = []
  private var lastFile: ResultFile?

  /// Adds a body. Returns the number of its claim, and true if the caller must start a task that watches waiting
  /// bodies. Returns nil if the executor is closed.
  mutating func add(_ claim: Claim) -> (number: Int, mustWatch: Bool)? {
    if isClosed { return nil }
    lastNumber += 1
    all[lastNumber] = claim
    lastFile = claim.file ?? lastFile
    defer { isWatched = true }
    return (lastNumber, !isWatched)
  }

  /// Sets the worker of a claim. Returns false if the executor is closed.
  mutating func setPool(_ pool: WorkerPool, of number: Int) -> Bool {
    all[number]?.pool = pool
    return !isClosed
  }

  mutating func remove(_ number: Int) { all[number] = nil }

  /// Keeps a result file in place until the executor is closed.
  mutating func keep(_ fence: ResultFile) { fences.append(fence) }

  /// Returns the bodies without a ready worker, and the number of their newest claim. If there are no claims, ends the
  /// watch and returns nil.
  mutating func waiting() -> (newest: Int, bodies: [String])? {
    if all.isEmpty {
      isWatched = false
      return nil
    }
    let waiting = all.filter { !$0.value.isReady }
    return (waiting.keys.max() ?? 0, waiting.values.map(\.body))
  }

  var isAwaitingWorkers: Bool { all.values.contains { !$0.isReady } }

  /// Marks the executor as closed. Returns the workers, the result files to remove, and any file, whose folder can be
  /// removed.
  mutating func close() -> (pools: [WorkerPool], fences: [ResultFile], any: ResultFile?) {
    isClosed = true
    return (all.values.compactMap(\.pool), fences, lastFile)
  }
}
