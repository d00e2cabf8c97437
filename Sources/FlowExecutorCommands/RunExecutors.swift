import FlowCLI
import FlowCommandKit
import FlowEngine
import FlowExecutors
import FlowModel
import FlowPluginKit
import FlowSyntax
import FlowSystem
import Synchronization

/// The executors of a run. They are created before the run starts, and closed when its last worker has ended.
struct RunExecutors: StepExecutors {
  /// The placement of remote steps, or nil if no step runs remotely.
  let placement: ExecutorPlacement?
  private let pools: [WorkerPool]
  private let told: Told

  /// Collects the messages of executors for the report.
  private final class Told: Sendable {
    private let lines = Mutex<[String]>([])
    private let run = Mutex<WorkflowRun?>(nil)
    private let waitingTexts = Mutex<[String: String]>([:])

    /// True if this process is certain to own the run. False, for example, if the lease may have expired.
    var isSure: Bool { run.withLock { $0 }?.isSureOfRun ?? true }

    func follow(_ run: WorkflowRun) { self.run.withLock { $0 = run } }
    private static let most = 100

    func setWaiting(_ text: String?, of pool: String) { waitingTexts.withLock { $0[pool] = text } }
    func waiting(of pool: String) -> String? { waitingTexts.withLock { $0[pool] } }

    func add(_ line: String) { lines.withLock { if $0.count < Self.most { $0.append(line) } } }
    var all: [String] { lines.withLock { $0 } }
  }

  /// The maximum time to wait for the first worker before the run starts. After that, the run starts anyway, and its
  /// remote steps wait.
  private static let firstWorker = Duration.seconds(5)

  /// Creates the executors of a workflow without starting workers. Blocks the thread to query container engines. Throws
  /// a ``UsageProblem`` or an ``InvalidWorkflow`` if an executor cannot be used.
  init(
    _ workflow: Workflow, _ installation: Installation, _ request: RunRequest, workflowFolder: String,
    inputs: ValueObject
  ) throws {
    let told = Told()
    self.told = told
    try Self.check(request.on)
    if let count = request.lostAttempts, count < 0 {
      throw UsageProblem("--lost-attempts must be 0 or more, got \(count)")
    }
    let steps = StepPlacement(workflow, installation.registry, on: request.on)
    guard !steps.addresses.isEmpty else {
      placement = nil
      pools = []
      return
    }
    var pools: [WorkerPool] = []
    for (index, text) in steps.addresses.enumerated() {
      let names = Set(steps.assignment.filter { $0.value == index }.map { workflow.steps[Int($0.key)].uses })
      let needs = WorkerRequirements(
        actions: names.sorted().compactMap { installation.registry.declaration(named: $0) },
        digest: installation.digest)
      do {
        let assigned = steps.assignment.filter { $0.value == index }.keys.sorted().map {
          ($0, workflow.steps[Int($0)].options)
        }
        var executor = ExecutorRequest(
          address: try ExecutorAddress(text).counting(assigned.map(\.1)), needs: needs, workflowFolder: workflowFolder,
          pluginFolders: request.pluginFolders.map(FilePath.absolute) + installation.foldersOfIncluded,
          plugins: installation.external,
          environment: Environment.all)
        for (step, options) in assigned where !steps.countsHere(step) {
          executor.requests += options.requestsOfAll.map { (workflow.steps[Int(step)].id, $0.request) }
          if !options.requests.isEmpty, options.fanOut != nil { executor.hasSizedItems = true }
        }
        executor.stopTimes = assigned.compactMap { step, _ in
          let step = workflow.steps[Int(step)]
          let policy = step.with[StopPolicy.input]?.objectValue.flatMap { try? StopPolicy($0) }
          return policy.map { (step.id, $0.within) }
        }
        executor.withheld = workflow.secretVariables(inputs: inputs)
        executor.hasPlainSteps = assigned.contains { steps.countsHere($0) || $1.request == nil }
        executor.tell = { told.add($0) }
        if let patience = try request.slurmPatienceDuration { executor.slurmPatience = patience }
        executor.mayPing = { told.isSure }
        pools.append(try executor.pool())
      } catch let problem as ExecutorAddress.AddressProblem {
        throw UsageProblem(Self.text(problem))
      } catch let problem as ExecutorProblem {
        throw Self.problem(problem)
      }
    }
    self.pools = pools
    var placement = ExecutorPlacement(executors: pools, assignment: steps.assignment)
    if let lostAttempts = request.lostAttempts { placement.lostAttempts = lostAttempts }
    placement.warnings = { [told] in told.all }
    placement.expectItems = { [pools] in pools[$0].expect($1, of: $2, atOnce: $3) }
    self.placement = placement
  }

  static func check(_ on: String?) throws(UsageProblem) {
    guard let on else { return }
    do throws(ExecutorAddress.AddressProblem) {
      _ = try ExecutorAddress(on)
    } catch {
      throw UsageProblem("--on: \(Self.text(error))")
    }
  }

  private static func text(_ problem: ExecutorAddress.AddressProblem) -> String {
    problem.message + (problem.help.map { "; \($0)" } ?? "")
  }

  private static func problem(_ problem: ExecutorProblem) -> any Error {
    if problem.isUsage { return UsageProblem(problem.message) }
    return InvalidWorkflow(description: "flowrun: \(problem.message)\n")
  }

  /// Starts the workers and waits for the first worker of each executor, for at most ``firstWorker`` per executor.
  /// Blocks the thread. Throws if an executor cannot start any worker.
  func open() throws {
    let (pools, told) = (pools, told)
    if pools.isEmpty { return }
    let problem = try BlockingWait.result { () async -> ExecutorProblem? in
      for pool in pools {
        do throws(ExecutorProblem) {
          if try await pool.open(waitingAtMost: Self.firstWorker) { continue }
          let seconds = Self.firstWorker.components.seconds
          let why = try? await DetachedThread.run { pool.waitingText() }
          told.setWaiting(why, of: pool.name)
          StandardOutput.writeError(
            "flowrun: --on \(pool.name): no worker is ready after \(seconds) s\(why.map { " (\($0))" } ?? ""); "
              + "steps wait for one\n")
        } catch {
          for pool in pools { await pool.close() }
          return error
        }
      }
      return nil
    }
    if let problem { throw Self.problem(problem) }
  }

  /// Connects the executors to the started run: workers receive pings only while this process owns the run, and the run
  /// shows why workers are not ready.
  func follow(_ run: WorkflowRun) {
    if isEmpty { return }
    told.follow(run)
    for pool in pools {
      Task.detached { [told] in
        await pool.watchQueue(last: told.waiting(of: pool.name)) { run.announce("\(pool.name): \($0)") }
      }
    }
  }

  var isEmpty: Bool { pools.isEmpty }

  /// The collected messages of executors, such as those about ignored settings and lost workers.
  var warnings: [String] { told.all }

  /// Closes the executors and blocks the thread until their workers have ended.
  func closeAndWait() {
    if pools.isEmpty { return }
    _ = try? BlockingWait.result { [self] in await close() }
  }

  /// Returns the accounting data of clusters about jobs that ran one attempt each, and the reason if data is missing.
  func accounts() async -> (jobs: [Value], problem: String?) {
    var jobs: [JobAccount] = []
    var problem: String?
    for pool in pools {
      let (accounts, missing) = await pool.accounts()
      jobs += accounts
      problem = problem ?? missing
    }
    jobs.sort { ($0.step, $0.item ?? 0, $0.attempt) < ($1.step, $1.item ?? 0, $1.attempt) }
    return (jobs.map(\.value), problem)
  }

  /// Ends all workers and the processes that they started.
  func close() async {
    await withTaskGroup { group in
      for pool in pools { group.addTask { await pool.close() } }
    }
  }
}

/// Blocks the current thread until asynchronous work has finished. The thread must not belong to a pool, because the
/// work may need that pool.
private final class BlockingWait<Answer: Sendable>: Sendable {
  private let answer = Mutex<Answer?>(nil)
  private let pipe: Descriptor.Pipe

  private init() throws(SystemError) { pipe = try Descriptor.pipe() }

  static func result(_ body: @escaping @Sendable () async -> Answer) throws(SystemError) -> Answer {
    let wait = try BlockingWait()
    Task.detached {
      let answer = await body()
      wait.answer.withLock { $0 = answer }
      _ = wait.pipe.writing.send([1])
    }
    while true {
      withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { _ = wait.pipe.reading.receive(into: $0) }
      if let answer = wait.answer.withLock({ $0 }) { return answer }
    }
  }
}
