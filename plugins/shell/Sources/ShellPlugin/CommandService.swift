import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Runs a service, which is a command that keeps running. Reports when it is ready, restarts it according to its
/// policy, and stops it together with its step. While the service prints nothing, it uses no thread.
final class CommandService: Sendable {
  private let start: CommandStart
  private let stop: StopPolicy
  private let restart: RestartPolicy
  private let condition: ReadyCondition?
  private let probe: ReadyProbe?
  private let mergesOutput: Bool
  private let context: ActionContext
  private let state: Mutex<State>
  /// The running command, which is stopped if the step is cancelled.
  private let current = Mutex<ServiceStart?>(nil)
  /// Ends the current delay early. Nil if there is none.
  private let endDelay = Mutex<(@Sendable () -> Void)?>(nil)

  private struct State: ~Copyable {
    var phase = Phase.new
    /// The file with the script, kept as long as the command may be restarted.
    var script: ScriptFile?
    var patience = Patience()
    var began = ContinuousClock.now
    var startsAgain = 0
    var hasReportedReady = false
  }

  private enum Phase {
    case new
    case starts
    case runs(ServiceStart)
    case ends(ServiceStart, GroupOutcome)
  }

  /// The event after which a service that waits without a thread continues.
  private enum Pause: Sendable {
    case output(CommandPause)
    case outcome(GroupOutcome)
    case delay(Duration)
  }

  /// The running time after which the count of restarts is reset, for a service without `ready-when`.
  private static let steadyTime = Duration.seconds(10)
  /// The interval in milliseconds at which cancellation is checked during a delay on a separate thread.
  private static let lookMilliseconds: CInt = 20

  init(
    start: CommandStart, script: consuming ScriptFile?, stop: StopPolicy, restart: RestartPolicy,
    condition: ReadyCondition?, probe: ReadyProbe?, mergesOutput: Bool, _ context: ActionContext
  ) {
    self.start = start
    self.stop = stop
    self.restart = restart
    self.condition = condition
    self.probe = probe
    self.mergesOutput = mergesOutput
    self.context = context
    state = Mutex(State(script: script))
  }

  private var name: String { "'\(start.command.description)'" }

  /// Runs the command and its restarts on this thread. Always throws: `CancellationError` if the service was asked to
  /// end, otherwise the error of the step.
  func perform() throws {
    while true { block(for: try advance(on: .own)) }
  }

  /// Runs the next part of the service. Throws when the service has ended, like ``perform()``.
  func progress(on thread: StepThread) throws -> BodyInParts.Progress {
    while true {
      let pause = try advance(on: thread)
      guard ReadinessWatch.shared.begin() else {
        block(for: pause)
        continue
      }
      return .waits(start: { [self] in wait(for: pause, $0) }, next: { [self] in try progress(on: thread) })
    }
  }

  private func wait(for pause: Pause, _ resume: @escaping @Sendable () -> Void) {
    switch pause {
    case .output(let pause): ReadinessWatch.shared.wait(for: pause.files, within: pause.time, resume)
    case .outcome(let outcome): outcome.wait(resume)
    case .delay(let time):
      endDelay.withLock { $0 = resume }
      let end: @Sendable () -> Void = { [self] in endDelay.withLock { $0.take() }?() }
      ReadinessWatch.shared.wait(for: [], within: time, end)
      // The step may have been cancelled before `resume` was stored.
      if context.isCancelled { end() }
    }
  }

  /// Waits until a delay ends or the step is cancelled. For other events, reading on a separate thread has already
  /// waited.
  private func block(for pause: Pause) {
    guard case .delay(let time) = pause else { return }
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end, !context.isCancelled { _ = poll(nil, 0, Self.lookMilliseconds) }
  }

  private func advance(on thread: StepThread) throws -> Pause {
    try state.withLock { state in
      do {
        return try advance(&state, on: thread)
      } catch {
        state.script = nil
        current.withLock { $0 = nil }
        throw error
      }
    }
  }

  private func advance(_ state: inout State, on thread: StepThread) throws -> Pause {
    while true {
      switch state.phase {
      case .new:
        if let port = probe?.portToBeFree, ReadyProbe.isAnswered(port) {
          throw ActionError(
            "address-in-use",
            "port \(port) answered before \(name) was started: another program uses it; stop that, or use another port",
            isRetryable: false)
        }
        context.onCancel { [self] in
          current.withLock { $0 }?.end(stop, context)
          endDelay.withLock { $0.take() }?()
        }
        state.phase = .starts
      case .starts:
        if let time = try begin(&state) { return .delay(time) }
      case .runs(let service):
        if let pause = service.read(on: thread) { return .output(pause) }
        let isShared = thread.isWanted != nil && ReadinessWatch.shared.begin()
        state.phase = .ends(service, service.collect(isShared: isShared))
      case .ends(let service, let outcome):
        guard let ending = outcome.ending else { return .outcome(outcome) }
        try handleEnd(of: service, ending.status, &state)
        state.phase = .starts
        return .delay(restart.delay)
      }
    }
  }

  /// Starts the command. Returns nil or, if too few descriptors or processes are available, the time after which to try
  /// again.
  private func begin(_ state: inout State) throws -> Duration? {
    try context.checkCancellation()
    state.began = .now
    let service: ServiceStart
    do throws(SystemError) {
      service = try ServiceStart(start, mergesOutput: mergesOutput, pattern: pattern, in: context)
    } catch {
      guard let milliseconds = state.patience.pause(after: error) else { throw start.explain(error) }
      return .milliseconds(Int(milliseconds))
    }
    state.patience = Patience()
    state.phase = .runs(service)
    current.withLock { $0 = service }
    // The step may have been cancelled before the service was stored.
    if context.isCancelled { service.end(stop, context) }
    awaitReadiness(of: service)
    return nil
  }

  /// Handles the end of the command. Throws the error of the step unless the command must be restarted.
  private func handleEnd(of service: ServiceStart, _ ending: TerminationStatus, _ state: inout State) throws {
    if service.wasKilled {
      context.log(
        "\(name) had not ended \(DurationText.format(stop.within)) after SIG\(stop.signal.rawValue) and was killed",
        level: .warning)
    }
    try context.checkCancellation()
    if service.isTooLate {
      let time = DurationText.format(condition?.within ?? ReadyCondition.usualTime)
      if let stranger = service.stranger {
        throw addressInUse("\(name) was not ready within \(time)", by: stranger, service)
      }
      throw ActionError(
        "not-ready", "\(name) was not ready within \(time): \(probe?.description ?? "")\(service.lastLines.quote)",
        isRetryable: false)
    }
    let hasWorked = condition == nil ? ContinuousClock.now - state.began >= Self.steadyTime : service.isReady
    if hasWorked { state.startsAgain = 0 }
    state.hasReportedReady = state.hasReportedReady || service.isReady
    let isWanted = restart.ends == .always || restart.ends == .failure && ending != .exited(code: 0)
    guard isWanted, state.startsAgain < restart.attempts ?? .max else { throw error(of: service, ending, state) }
    state.startsAgain += 1
    let count = "\(state.startsAgain) \(restart.attempts.map { "of \($0)" } ?? "in a row")"
    context.log(
      "\(name) \(Self.text(ending)); it is started again in \(DurationText.format(restart.delay)) (\(count))",
      level: .warning)
  }

  /// Returns the error of a service that has ended and is not restarted.
  private func error(of service: ServiceStart, _ ending: TerminationStatus, _ state: borrowing State) -> ActionError {
    let count =
      state.startsAgain == 0
      ? "" : state.startsAgain == 1 ? ", after it was started again" : ", after \(state.startsAgain) new starts"
    let end = "\(name) \(Self.text(ending)) before it was stopped\(count)"
    // The step has already been reported as ready, so its failure must be in the log.
    if state.hasReportedReady { context.log(end, level: .error) }
    if !service.isReady, let port = probe?.portToBeFree {
      // The service has ended. If its port still answers, another program is using the port.
      if let stranger = service.stranger ?? (ReadyProbe.isAnswered(port) ? "another program" : nil) {
        return addressInUse(end, by: stranger, service)
      }
    }
    return ActionError("service-ended", end + service.lastLines.quote, isRetryable: false)
  }

  /// Returns the error of a service whose port is used by another program.
  private func addressInUse(_ end: String, by stranger: String, _ service: ServiceStart) -> ActionError {
    ActionError(
      "address-in-use",
      "\(end): port \(probe?.portToBeFree ?? 0) is used by \(stranger); stop that, or use another port"
        + service.lastLines.quote, isRetryable: false)
  }

  private var pattern: LinePattern? {
    if case .line(let pattern)? = probe { pattern } else { nil }
  }

  private static func text(_ ending: TerminationStatus) -> String {
    switch ending {
    case .exited(let code): "exited with status \(code)"
    case .signaled(let number): "was ended by signal \(number)"
    }
  }

  /// Starts to check whether the service is ready. Ends the service if it is not ready within the time limit. Does not
  /// wait.
  private func awaitReadiness(of service: ServiceStart) {
    guard let condition, let probe else { return reportReady(service) }
    service.onLine { [self] in reportReady(service) }
    context.host.wake(after: condition.within) { [self] in
      if service.giveUp() { service.end(stop, context) }
    }
    if case .line = probe { return }
    look(at: service, probe, every: max(.milliseconds(1), condition.every))
  }

  /// Checks repeatedly whether the service is ready, on a thread of the ``ProbeQueue``.
  private func look(at service: ServiceStart, _ probe: ReadyProbe, every pause: Duration) {
    let isQueued = ProbeQueue.shared.add { [self] in
      if service.isOver { return }
      switch service.look(probe) {
      case .ready: return reportReady(service)
      case .stranger(let stranger): reportStranger(stranger, at: service)
      case .notReady: break
      }
      if service.isOver { return }
      context.host.wake(after: pause) { [self] in look(at: service, probe, every: pause) }
    }
    if !isQueued { context.log("\(name) cannot be looked at: the system has no thread for it", level: .error) }
  }

  private func reportReady(_ service: ServiceStart) {
    if service.becomeReady() { context.ready(NoOutput()) }
  }

  private func reportStranger(_ stranger: String, at service: ServiceStart) {
    guard service.record(stranger: stranger) else { return }
    context.log(
      "port \(probe?.portToBeFree ?? 0) is answered by \(stranger), which does not belong to \(name); the service is not "
        + "ready yet", level: .warning)
  }
}
