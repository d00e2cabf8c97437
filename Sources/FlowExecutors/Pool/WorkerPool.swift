import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem
import Synchronization

/// An executor that runs bodies on workers, which are processes on this machine or wherever an engine starts them.
///
/// A body stays on one worker. A lost worker is restarted. Its bodies are reported as lost only when none of their
/// processes can still be running.
package final class WorkerPool: StepExecutor {
  /// The name as written after `--on`.
  package let name: String
  /// The maximum number of concurrent bodies.
  package let slots: Int
  /// True if all workers are processes of this machine.
  package var isHere: Bool { sized == nil && starts.allSatisfy(\.isLocal) }
  let starts: [WorkerStart]
  let needs: WorkerRequirements
  let terms: WorkerTerms
  let folder: String
  /// True if each worker runs a single body. Such a worker is not restarted after it has received a body.
  let isOneTime: Bool
  let digests = FileDigests()
  let tell: @Sendable (String) -> Void
  /// The settings for steps with resources, whose workers run one body each. Nil if such steps are handled like others.
  let sized: SizedWorkers?
  /// Returns the jobs of the run in the engine's queue, each with its reason for waiting. It may block the thread.
  package typealias WaitingJobs = @Sendable () -> [(job: String, reason: String)]
  private let waitingJobs: WaitingJobs?
  let claims = Mutex(Claims())
  let sizedJobs = Mutex(SizedJobs())
  /// The command that releases the allocations of all workers, or nil if there are none.
  private let release: [String]?
  private let lastCommand = Mutex<LastCommand?>(nil)
  private let calls: [String: CallableAction]
  let state: Mutex<PoolState>
  /// Completed with true when the first worker is ready, and with false if no worker can be started.
  let opening = OneShot<Bool>()

  /// - Parameters:
  ///   - name: The name as written after `--on`.
  ///   - starts: The workers to start.
  ///   - needs: The requirements that workers must meet.
  ///   - workflowFolder: The absolute path of the workflow's folder, in which workers start.
  ///   - copies: The settings for copying files, or nil if workers share files with flowrun.
  ///   - pulse: The intervals of heartbeats.
  ///   - mayPing: Returns true while workers may be sent pings.
  ///   - withheld: The environment variables that commands on workers must not inherit.
  ///   - release: The command that releases the engine's allocations for workers, or nil if there are none.
  ///   - isOneTime: True if a worker runs a single body and is not restarted after it has worked.
  ///   - sized: The workers of steps with resources, or nil if such steps are handled like others.
  ///   - waiting: Returns the jobs in the engine's queue with their reasons, or nil if the engine has no queue.
  ///   - tell: Receives messages about workers that cannot be used or are lost.
  package init(
    name: String, starts: [WorkerStart], needs: WorkerRequirements, workflowFolder: String,
    copies: WorkerTerms.Copies? = nil, pulse: PulseRhythm = PulseRhythm(),
    mayPing: @escaping @Sendable () -> Bool = { true }, withheld: Set<String> = [], release: [String]? = nil,
    isOneTime: Bool = false, sized: SizedWorkers? = nil, waiting: WaitingJobs? = nil,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.name = name
    self.sized = sized
    self.isOneTime = isOneTime
    waitingJobs = waiting
    self.starts = starts
    self.needs = needs
    self.release = release
    self.tell = tell
    folder = workflowFolder
    slots = sized?.slots ?? starts.reduce(0) { $0 + $1.slots }
    var terms = WorkerTerms(workflowFolder: workflowFolder, pulse: pulse, mayPing: mayPing)
    terms.withheld = withheld
    terms.copies = copies
    self.terms = terms
    calls = Dictionary(
      needs.actions.map { ($0.name, CallableAction($0)) }, uniquingKeysWith: { first, _ in first })
    state = Mutex(PoolState(slots: starts.map(\.slots)))
  }

  /// Starts the workers and waits until one of them is ready. Waits for at most `limit`, because a worker may wait in
  /// the engine's queue for longer. Returns true if a worker is ready. Throws an error if no worker can be started.
  @discardableResult
  package func open(
    waitingAtMost limit: Duration, clock: any Clock<Duration> = ContinuousClock()
  ) async throws(ExecutorProblem) -> Bool {
    if starts.isEmpty { return true }
    if let release, let environment = starts.first?.environment {
      do throws(SystemError) {
        let command = try LastCommand(release, environment: environment)
        lastCommand.withLock { $0 = command }
      } catch {
        throw ExecutorProblem("--on \(name): \(error)")
      }
    }
    for index in starts.indices { Task.detached { await self.tend(index) } }
    let opening = opening
    let alarm = Task {
      try? await clock.sleep(for: limit)
      opening.finish(true)
    }
    let isUsable = await opening.wait()
    alarm.cancel()
    if !isUsable { throw ExecutorProblem("--on \(name): \(state.withLock { $0.lastProblem })") }
    return state.withLock { $0.isReady }
  }

  /// Returns the engine's reason why requested workers have not started, or nil if all have started or no reason is
  /// known. Blocks until the engine answers.
  package func waitingText() -> String? {
    guard let waitingJobs, isAwaitingWorkers else { return nil }
    let counts = waitingJobs().reduce(into: [String: Int]()) { $0[$1.reason, default: 0] += 1 }
    if counts.isEmpty { return nil }
    return counts.sorted { $0.key < $1.key }
      .map { "\($0.value) job\($0.value == 1 ? " waits" : "s wait") in the queue: \($0.key)" }.joined(separator: "; ")
  }

  private var isAwaitingWorkers: Bool {
    claims.withLock { $0.isAwaitingWorkers }
      || state.withLock { state in
        state.members.contains { !$0.isReady && !$0.isLeaving && $0.rest == nil && $0.problem == nil }
      }
  }

  /// The interval at which the engine is asked why workers have not started.
  private static let queueLook = Duration.seconds(10)

  /// Reports why workers have not started, whenever the reason changes, until the executor is closed. `last` is the
  /// reason that was reported before.
  package func watchQueue(
    last: String?, clock: any Clock<Duration> = ContinuousClock(), report: @Sendable (String) -> Void
  ) async {
    if waitingJobs == nil { return }
    var last = last
    while true {
      try? await clock.sleep(for: Self.queueLook)
      if state.withLock({ $0.isClosed }) { return }
      guard let text = try? await DetachedThread.run({ self.waitingText() }) else {
        last = nil
        continue
      }
      if text != last { report(text) }
      last = text
    }
  }

  /// Ends all workers and the processes that they started.
  package func close() async {
    await closeSized()
    let (sessions, supervisors, isAwaited, grants) = state.withLock { state in
      state.isClosed = true
      let isAwaited = state.members.contains { !$0.isReady && $0.rest == nil }
      while let rest = state.endRest() { rest.finish(()) }
      return (
        state.members.compactMap { member in member.session.map { ($0, member.burial) } },
        state.members.compactMap(\.supervisor), isAwaited, state.grants()
      )
    }
    for (ticket, grant) in grants { ticket.finish(grant) }
    for supervisor in supervisors { supervisor.close() }
    for (_, burial) in sessions { await burial?.value }
    let command = lastCommand.withLock { $0 }
    // After a program was killed, an engine may keep its allocation forever, as Slurm does for `srun`.
    if isAwaited || sessions.contains(where: { $0.0.wasKilled }) { command?.run() } else { command?.drop() }
  }

  /// Announces the items of a fan-out, so that an engine with job arrays can start their jobs together.
  package func expect(_ items: [Int], of step: StepID, atOnce: Int) {
    sized?.arrays?.expect(items, of: step, atOnce: atOnce)
  }

  /// Runs one attempt of a step on a worker.
  package func run(
    _ action: ActionDeclaration, _ inputs: ValueObject, taking request: MachineResources?, files: StepFiles?,
    _ context: ActionContext
  ) async throws -> ValueObject {
    guard let callable = calls[action.name] else {
      throw ActionError("no-action", "'\(action.name)' cannot run remotely", isRetryable: false)
    }
    let files = files ?? StepFiles(reads: [], makes: [], folder: context.run.workflowFolder)
    if let request, let sized { return try await runSized(callable, inputs, request, files, sized, context) }
    return try await run(callable, inputs, files, context)
  }

  func run(
    _ callable: CallableAction, _ inputs: ValueObject, _ files: StepFiles, _ context: ActionContext
  ) async throws -> ValueObject {
    while true {
      if let outputs = try await handOver(callable, inputs, files, context) { return outputs }
    }
  }

  /// Runs one attempt on a worker. Returns nil if the worker ended before it read the request, so that the attempt can
  /// safely run on another worker.
  private func handOver(
    _ callable: CallableAction, _ inputs: ValueObject, _ files: StepFiles, _ context: ActionContext
  ) async throws -> ValueObject? {
    let slot = try await slot()
    defer { giveBack(slot.member) }
    let number = slot.files?.newNumber()
    defer { if let number { slot.files?.drop(number) } }
    do {
      if let number { try await slot.files?.send(files, number: number) }
      switch await slot.session.run(callable, inputs, files: number, context) {
      case .answered(let value):
        guard let outputs = value.objectValue?["outputs"] else {
          throw ActionError(
            "executor-answer", "a worker answered \(value.shortText), not outputs", isRetryable: false)
        }
        let checked = try callable.checkedOutputs(outputs, of: inputs)
        if let number { try await slot.files?.fetch(files, number: number, context) }
        return checked
      case .refused(let failure):
        try Task.checkCancellation()
        // When the time limit of a job is reached, the engine ends commands together with their worker. The worker may
        // live long enough to report that they failed.
        if Self.isTimeUp(slot.session.lastLog) {
          throw ExecutorLost(
            "\(starts[slot.member].name) of '\(name)' was lost: its time was up", isFinal: true, isTimeUp: true)
        }
        throw callable.error(failure)
      case .failed(let error): throw error
      case .unread: throw FileLink.Loss.unread
      case .lost(let error): throw FileLink.Loss.lost(error)
      }
    } catch FileLink.Loss.unread {
      try Task.checkCancellation()
      // Mark the worker as not ready, because the task that observes its end may not have run yet. Otherwise the worker
      // could get this step again.
      state.withLock { state in
        if state.members[slot.member].session === slot.session { state.members[slot.member].isReady = false }
      }
      return nil
    } catch FileLink.Loss.lost(let error) {
      // From here on, no process of the body is running.
      await slot.burial.value
      try Task.checkCancellation()
      let isTimeUp = Self.isTimeUp(error.message)
      throw ExecutorLost(
        "\(starts[slot.member].name) of '\(name)' was lost: \(error.message)", isFinal: isTimeUp, isTimeUp: isTimeUp)
    }
  }

  /// True if the engine ended the worker because the time limit of its job was reached.
  private static func isTimeUp(_ message: String) -> Bool { message.contains("DUE TO TIME LIMIT") }

  private func slot() async throws -> PoolSlot {
    try Task.checkCancellation()
    let ticket = OneShot<PoolState.Grant>()
    let (id, grant) = state.withLock { state -> (Int?, PoolState.Grant?) in
      if state.isGone { return (nil, .lost(state.loss)) }
      if let grant = state.takeSlot() { return (nil, grant) }
      let id = state.wait(ticket)
      state.endRest()?.finish(())
      return (id, nil)
    }
    let result: PoolState.Grant
    if let grant {
      result = grant
    } else {
      result = await withTaskCancellationHandler {
        await ticket.wait()
      } onCancel: {
        if let id, self.state.withLock({ $0.leave(id) }) { ticket.finish(.cancelled) }
      }
    }
    switch result {
    case .slot(let slot): return slot
    case .lost(let error): throw error
    case .cancelled: throw CancellationError()
    }
  }

  private func giveBack(_ member: Int) {
    let (grants, leaver) = state.withLock { state in
      state.members[member].taken -= 1
      return (state.grants(), state.leaver(member))
    }
    leaver?.requestStop()
    for (ticket, grant) in grants { ticket.finish(grant) }
  }
}
