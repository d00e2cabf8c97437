import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Runs a service, which is a command that keeps running. Waits until it is ready, restarts it according to its policy,
/// and stops it with its step.
final class CommandService: Sendable {
  private let start: CommandStart
  private let stop: StopPolicy
  private let restart: RestartPolicy
  private let condition: ReadyCondition?
  private let probe: ReadyProbe?
  private let mergesOutput: Bool
  private let context: ActionContext
  private let current = Mutex<ServiceStart?>(nil)

  /// The time for which a service without `ready-when` must run before its restarts are counted from zero again.
  private static let steadyTime = Duration.seconds(10)
  /// The interval of checking, during the pause before a restart, whether the service should end.
  private static let lookMilliseconds: CInt = 20

  init(
    start: CommandStart, stop: StopPolicy, restart: RestartPolicy, condition: ReadyCondition?, probe: ReadyProbe?,
    mergesOutput: Bool, _ context: ActionContext
  ) {
    self.start = start
    self.stop = stop
    self.restart = restart
    self.condition = condition
    self.probe = probe
    self.mergesOutput = mergesOutput
    self.context = context
  }

  private var name: String { "'\(start.command.description)'" }

  /// Runs the command and restarts it. Always throws: `CancellationError` if the service was asked to end, otherwise
  /// the error of the step.
  func perform() throws {
    if let port = probe?.portToBeFree, ReadyProbe.isAnswered(port) {
      throw ActionError(
        "address-in-use",
        "port \(port) answered before \(name) was started: another program uses it; stop that, or use another port",
        isRetryable: false)
    }
    context.onCancel { [self] in current.withLock { $0 }?.end(stop, context) }
    var startsAgain = 0
    var hasReportedReady = false
    while true {
      try context.checkCancellation()
      let began = ContinuousClock.now
      var pipes: ServicePipes?
      let service = try ServiceStart(start, mergesOutput: mergesOutput, pattern: pattern, in: context, &pipes)
      current.withLock { $0 = service }
      // The step may have been cancelled before the service was stored.
      if context.isCancelled { service.end(stop, context) }
      awaitReadiness(of: service)
      let ending = service.awaitEnd(reading: &pipes)
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
      let hasWorked = condition == nil ? ContinuousClock.now - began >= Self.steadyTime : service.isReady
      if hasWorked { startsAgain = 0 }
      hasReportedReady = hasReportedReady || service.isReady
      let isWanted = restart.ends == .always || restart.ends == .failure && ending != .exited(code: 0)
      guard isWanted, startsAgain < restart.attempts else {
        let count =
          startsAgain == 0
          ? "" : startsAgain == 1 ? ", after it was started again" : ", after \(startsAgain) new starts"
        let end = "\(name) \(Self.text(ending)) before it was stopped\(count)"
        // The step has already succeeded, so the log must contain the failure.
        if hasReportedReady { context.log(end, level: .error) }
        if !service.isReady, let port = probe?.portToBeFree {
          // The service has ended, so if the port answers, another program does.
          if let stranger = service.stranger ?? (ReadyProbe.isAnswered(port) ? "another program" : nil) {
            throw addressInUse(end, by: stranger, service)
          }
        }
        throw ActionError("service-ended", end + service.lastLines.quote, isRetryable: false)
      }
      startsAgain += 1
      context.log(
        "\(name) \(Self.text(ending)); it is started again in \(DurationText.format(restart.delay)) (\(startsAgain) of "
          + "\(restart.attempts))", level: .warning)
      try pause(restart.delay)
    }
  }

  /// The error of a service that did not get its port.
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

  /// Reports when the service is ready, or ends it at the time limit. Does not wait.
  private func awaitReadiness(of service: ServiceStart) {
    guard let condition, let probe else { return note(service) }
    service.onLine { [self] in note(service) }
    context.host.wake(after: condition.within) { [self] in
      if service.giveUp() { service.end(stop, context) }
    }
    if case .line = probe { return }
    let milliseconds = CInt(clamping: condition.every.nanoseconds / 1_000_000)
    do throws(SystemError) {
      try DetachedThread.start(name: "service probe") { [self] in
        while !service.isOver {
          switch service.look(probe) {
          case .ready: return note(service)
          case .stranger(let stranger): note(stranger, at: service)
          case .notReady: break
          }
          _ = poll(nil, 0, max(1, milliseconds))
        }
      }
    } catch {
      context.log("\(name) cannot be looked at: \(error)", level: .error)
    }
  }

  private func note(_ service: ServiceStart) {
    if service.becomeReady() { context.ready(NoOutput()) }
  }

  private func note(_ stranger: String, at service: ServiceStart) {
    guard service.note(stranger: stranger) else { return }
    context.log(
      "port \(probe?.portToBeFree ?? 0) is answered by \(stranger), which does not belong to \(name); the service is not "
        + "ready yet", level: .warning)
  }

  private func pause(_ time: Duration) throws {
    let end = ContinuousClock.now + time
    while ContinuousClock.now < end {
      try context.checkCancellation()
      _ = poll(nil, 0, Self.lookMilliseconds)
    }
  }
}
