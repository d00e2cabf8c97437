import FlowModel

/// How an engine that counts resources of machines gives workers to steps with `resources`: one a body, as large as the
/// step asks for, which ends with it.
package struct SizedWorkers: Sendable {
  /// The number of bodies that the executor runs at once, whatever their sizes.
  var slots: Int
  /// How the worker of a body is started: what the body takes, what it is called, and where what comes of it is written.
  var start: @Sendable (_ request: MachineResources, _ body: String, _ result: ResultFile?) -> WorkerStart
  /// Whether the worker of any of these bodies waits until others give something back; called on a thread that may wait.
  var lackRoom: @Sendable (_ bodies: [String]) -> Bool
  /// What gives items of fan-outs tasks of job arrays; nil: they are as other bodies are.
  var arrays: JobArrays?
  /// What the engine's accounting says of these jobs, and of jobs of these names, on a thread that may wait; nil: it has none.
  var account: (@Sendable (_ jobs: [String], _ names: [String]) throws(ExecutorProblem) -> [AccountingLine])?
  /// How long from one such question to the next.
  var patience = Duration.seconds(2)
}

/// The workers that bodies have for themselves, of which some may wait for room.
struct Claims {
  /// One of them.
  struct Claim {
    var body: String
    /// Nil as long as the engine has nothing for it to run in.
    var pool: WorkerPool?
    var file: ResultFile?

    var isReady: Bool { pool?.state.withLock { $0.isReady } ?? false }
  }

  private(set) var all: [Int: Claim] = [:]
  private var lastNumber = 0
  /// Whether somebody looks after those that wait.
  private var isWatched = false
  private var isClosed = false
  /// Files that are kept so that no worker writes them any more.
  private var fences: [ResultFile] = []
  private var lastFile: ResultFile?

  /// Adds one, and says whether somebody must begin to look after those that wait; nil: the executor is closed.
  mutating func add(_ claim: Claim) -> (number: Int, mustWatch: Bool)? {
    if isClosed { return nil }
    lastNumber += 1
    all[lastNumber] = claim
    lastFile = claim.file ?? lastFile
    defer { isWatched = true }
    return (lastNumber, !isWatched)
  }

  /// Notes the worker of one that was added without; false: the executor is closed.
  mutating func setPool(_ pool: WorkerPool, of number: Int) -> Bool {
    all[number]?.pool = pool
    return !isClosed
  }

  /// Takes out one whose worker is gone.
  mutating func remove(_ number: Int) { all[number] = nil }

  /// Keeps a file until the executor is closed.
  mutating func keep(_ fence: ResultFile) { fences.append(fence) }

  /// Those whose worker is not there, with the number of the newest; nil: there are none at all, and there is no watch now.
  mutating func waiting() -> (newest: Int, bodies: [String])? {
    if all.isEmpty {
      isWatched = false
      return nil
    }
    let waiting = all.filter { !$0.value.isReady }
    return (waiting.keys.max() ?? 0, waiting.values.map(\.body))
  }

  /// Whether any of them has no worker yet.
  var isAwaitingWorkers: Bool { all.values.contains { !$0.isReady } }

  /// Takes no more; those that there are, the files that were kept, and one of all files.
  mutating func close() -> (pools: [WorkerPool], fences: [ResultFile], any: ResultFile?) {
    isClosed = true
    return (all.values.compactMap(\.pool), fences, lastFile)
  }
}
