import FlowModel
import FlowPluginHost
import FlowPluginKit
import FlowSystem
import Synchronization

/// An executor that hands bodies to workers: processes on this machine, or wherever an engine starts them.
///
/// A body is with one worker from its slot to its end. A worker that is lost is started again, and what it had is told
/// to be lost once none of it can run any more.
public final class WorkerPool: StepExecutor {
  /// As `--on` writes it.
  public let name: String
  /// The number of bodies that run at once at most.
  public let slots: Int
  /// Whether all workers are processes of this machine.
  public var isHere: Bool { sized == nil && starts.allSatisfy(\.isLocal) }
  let starts: [WorkerStart]
  let needs: WorkerRequirements
  let terms: WorkerTerms
  let folder: String
  /// Whether a worker runs one body: it is not started again once it was at work.
  let isOneTime: Bool
  let digests = FileDigests()
  let tell: @Sendable (String) -> Void
  /// How workers for steps that take resources of a machine are had, one a body; nil: such steps are as others are.
  let sized: SizedWorkers?
  /// The jobs of the run that wait in the engine's queue, each with its reason; called on a thread that may wait. Nil: the
  /// engine has no queue.
  package typealias WaitingJobs = @Sendable () -> [(job: String, reason: String)]
  private let waitingJobs: WaitingJobs?
  let claims = Mutex(Claims())
  let sizedJobs = Mutex(SizedJobs())
  /// The command that releases what is asked of an engine for the workers; nil: nothing is.
  private let release: [String]?
  private let lastCommand = Mutex<LastCommand?>(nil)
  private let calls: [String: CallableAction]
  let state: Mutex<PoolState>
  /// Told when a worker is ready, or none will be.
  let opening = OneShot<Bool>()

  /// - Parameters:
  ///   - name: as `--on` writes it.
  ///   - starts: how each worker is started.
  ///   - needs: what a worker must have.
  ///   - workflowFolder: the absolute path of the workflow's folder, in which workers start.
  ///   - copies: how files travel; nil: workers share them.
  ///   - pulse: how often workers are asked for heartbeats.
  ///   - mayPing: whether they may still be asked.
  ///   - withheld: variables of the workers' own environment that commands do not get.
  ///   - release: the command that releases what is asked of an engine for the workers; nil: nothing is.
  ///   - isOneTime: whether a worker runs one body, so that it is not started again once it was at work.
  ///   - sized: how workers for steps that take resources of a machine are had; nil: such steps are as others are.
  ///   - waiting: the jobs that wait in the engine's queue, with their reasons; nil: the engine has no queue.
  ///   - tell: receives the workers that are left out or lost.
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

  /// Starts the workers and waits until one of them takes calls, at most for `limit`: an engine may have a queue, and
  /// steps wait for their slots. Whether one of them does; throws when no worker can be had.
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

  // MARK: The engine's queue

  /// Why workers that were asked for are not there yet, in the engine's words; nil: none is awaited, or the engine does not
  /// say. Waits for the engine's answer.
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

  /// How often the engine is asked why workers are not there yet.
  private static let queueLook = Duration.seconds(10)

  /// Reports why workers are not there yet each time that the reason changes, until the executor is closed. `last` was
  /// reported before.
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

  /// Ends all workers with everything they run.
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
    // An engine may keep for good what it gave to a program that was killed, as Slurm does behind `srun`.
    if isAwaited || sessions.contains(where: { $0.0.wasKilled }) { command?.run() } else { command?.drop() }
  }

  /// Has the items of a fan-out asked for together, where the engine has job arrays.
  package func expect(_ items: [Int], of step: StepID, atOnce: Int) {
    sized?.arrays?.expect(items, of: step, atOnce: atOnce)
  }

  /// Runs one attempt of a step.
  public func run(
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

  /// Has a worker run one attempt; nil: the worker had ended before it read the step, which is another one's then.
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
        // The engine ends the commands with the worker, which may live long enough to tell how they ended.
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
      // Who waits for its end may not have heard of it yet: it must not be handed the same step again.
      state.withLock { state in
        if state.members[slot.member].session === slot.session { state.members[slot.member].isReady = false }
      }
      return nil
    } catch FileLink.Loss.lost(let error) {
      // Nothing of the body runs any more after this.
      await slot.burial.value
      try Task.checkCancellation()
      let isTimeUp = Self.isTimeUp(error.message)
      throw ExecutorLost(
        "\(starts[slot.member].name) of '\(name)' was lost: \(error.message)", isFinal: isTimeUp, isTimeUp: isTimeUp)
    }
  }

  /// Whether the engine ended the worker because its time was over.
  private static func isTimeUp(_ message: String) -> Bool { message.contains("DUE TO TIME LIMIT") }

  // MARK: Slots

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
