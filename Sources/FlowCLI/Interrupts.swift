import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// Handles the signals that ask flowrun to end, from the first instruction of `main`.
///
/// The first signal cancels the run, or ends the process if there is no run yet. A second request
/// (``InterruptRequests``) ends the process at once, with everything that it has started.
enum Interrupts {
  private struct State {
    var phase = Phase.withoutRun
    var requests = InterruptRequests()
    /// Removes the outputs of an earlier run if the process ends at once, or nil once the outputs have been written.
    var discard: (@Sendable () -> Void)?
    /// True if the first signal ended the wait of a run that keeps its services.
    var hasEndedWait = false
    var first: CInt? { requests.first }
  }

  private enum Phase {
    /// There is nothing to cancel.
    case withoutRun
    /// A run is being prepared. `explain` reports that it will not start.
    case preparing(explain: @Sendable (CInt) -> Void)
    /// The first steps of a run may be running.
    case starting
    case running(WorkflowRun)
    /// The run continues in another process.
    case passing(ProcessGroup)
  }

  private static let state = Mutex(State())

  /// The first signal, or nil if there was none.
  static var first: CInt? { state.withLock { $0.first } }

  /// The first signal that cancels the run, or nil. A signal that only ended the wait of a run that keeps its services
  /// does not count.
  static var firstThatCancels: CInt? { state.withLock { $0.hasEndedWait ? nil : $0.first } }

  /// Installs the signal handling. The command does this first.
  static func take() {
    do throws(SystemError) {
      try SignalThread.start { signal in receive(signal) }
    } catch {
      // Without the thread, signals end the process as they do by default.
      StandardOutput.writeError("flowrun: \(error); signals will end it without a report\n")
    }
  }

  /// Sets the phase of preparing a run: a signal ends the process after calling `explain` on a separate thread.
  static func prepare(explain: @escaping @Sendable (CInt) -> Void) {
    change(to: .preparing(explain: explain))
  }

  /// Sets what removes the outputs of an earlier run if the process is ended at once, or nil once those of this run have
  /// been written.
  static func ifEndedAtOnce(_ discard: (@Sendable () -> Void)?) { state.withLock { $0.discard = discard } }

  /// Sets the phase in which steps may be starting: a signal waits until it can cancel the run.
  static func holdForStart() { change(to: .starting) }

  /// Sets the phase in which a signal cancels this run. An earlier signal cancels it at once.
  static func cancel(_ run: WorkflowRun) {
    let first = state.withLock { state in
      state.phase = .running(run)
      return state.first
    }
    if let first { end(first, in: .running(run)) }
  }

  /// Sets the phase in which a signal is forwarded to the process of a run. An earlier signal is forwarded at once.
  static func pass(to group: ProcessGroup) {
    let first = state.withLock { state in
      state.phase = .passing(group)
      return state.first
    }
    if let first { end(first, in: .passing(group)) }
  }

  /// Ends the forwarding because the run in the other process has ended. Returns the signal received meanwhile, or nil;
  /// then there is nothing to cancel.
  static func endPassing() -> CInt? {
    state.withLock { state in
      if state.first == nil { state.phase = .withoutRun }
      return state.first
    }
  }

  private static func change(to phase: Phase) {
    let isEnding = state.withLock { state in
      if state.first == nil { state.phase = phase }
      return state.first != nil
    }
    // The thread that received the signal ends the process.
    while isEnding { pause() }
  }

  /// Runs on the signal thread, which must not block, so that the next signal is handled.
  private static func receive(_ signal: CInt) {
    StandardOutput.hurry()
    let (reaction, phase, discard) = state.withLock { ($0.requests.take(signal, at: .now), $0.phase, $0.discard) }
    switch reaction {
    case .stop: break
    case .none: return
    case .endAtOnce:
      ProcessGuard.shared.killAll()
      discard?()
      if case .running = phase { tellOfSecond() }
      exit(signal)
    }
    do throws(SystemError) {
      try DetachedThread.start { end(signal, in: phase) }
    } catch {
      end(signal, in: phase)
    }
  }

  private static func end(_ signal: CInt, in phase: Phase) {
    switch phase {
    case .withoutRun:
      StandardOutput.writeError("flowrun: interrupted\n")
      exit(signal)
    case .preparing(let explain):
      explain(signal)
      StandardOutput.writeError("flowrun: interrupted before the run started\n")
      exit(signal)
    case .starting: break
    // The run itself reports its result.
    case .passing(let group): group.send(signal)
    case .running(let run) where run.endWait():
      state.withLock { $0.hasEndedWait = true }
      StandardOutput.writeError("\nflowrun: stopping the services; press Ctrl-C again to end at once\n")
    case .running(let run):
      // The run is cancelled before the message is written, because writing may block.
      run.cancel()
      let seconds = StopTime.longest.components.seconds
      StandardOutput.writeError("\nflowrun: stopping; press Ctrl-C again to end at once (up to \(seconds) s)\n")
    }
  }

  /// Reports what a second request skips, unless standard error is blocked.
  private static func tellOfSecond() {
    var watched = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&watched, 1, 0) > 0 else { return }
    _ = Array("\nflowrun: ended at once; commands were killed, and cleanup did not finish\n".utf8).withUnsafeBytes {
      SystemCall.write(2, $0)
    }
  }

  /// Ends the process and everything that it has started, with the exit code of the signal.
  private static func exit(_ signal: CInt) -> Never {
    ProcessGuard.shared.killAll()
    ExitStatus.exit(128 + signal)
  }
}
