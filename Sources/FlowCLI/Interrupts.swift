import FlowCommandKit
import FlowEngine
import FlowSystem
import Synchronization

/// What the signals do that ask flowrun to end, from the first instruction of `main`.
///
/// The first one cancels the run where there is one, and ends the process where there is none yet; a second request
/// (``InterruptRequests``) ends it at once, with everything that it has started.
enum Interrupts {
  private struct State {
    var phase = Phase.withoutRun
    var requests = InterruptRequests()
    /// Whether the first signal ended the wait of a run that keeps its services.
    var hasEndedWait = false
    var first: CInt? { requests.first }
  }

  private enum Phase {
    /// There is nothing to cancel.
    case withoutRun
    /// A run is being prepared; `explain` says that it will not start.
    case preparing(explain: @Sendable (CInt) -> Void)
    /// Its first steps may be running.
    case starting
    case running(WorkflowRun)
    /// A run continues in another process.
    case passing(ProcessGroup)
  }

  private static let state = Mutex(State())

  /// The first signal that came, or nil.
  static var first: CInt? { state.withLock { $0.first } }

  /// The first signal that came, or nil; also nil if it ended the wait of a run that keeps its services, and nothing else.
  static var firstThatCancels: CInt? { state.withLock { $0.hasEndedWait ? nil : $0.first } }

  /// Takes the signals. The first thing that the command does.
  static func take() {
    do throws(SystemError) {
      try SignalThread.start { signal in receive(signal) }
    } catch {
      // They end the process as they do without anybody's doing.
      StandardOutput.writeError("flowrun: \(error); signals will end it without a report\n")
    }
  }

  /// From now on a run is being prepared: a signal ends the process after `explain` on a thread of its own.
  static func prepare(explain: @escaping @Sendable (CInt) -> Void) {
    change(to: .preparing(explain: explain))
  }

  /// From now on steps may be running: a signal waits until it can cancel the run.
  static func holdForStart() { change(to: .starting) }

  /// From now on a signal cancels this run, one that has come meanwhile at once.
  static func cancel(_ run: WorkflowRun) {
    let first = state.withLock { state in
      state.phase = .running(run)
      return state.first
    }
    if let first { end(first, in: .running(run)) }
  }

  /// From now on a signal is passed on to the process of a run, one that has come meanwhile at once.
  static func pass(to group: ProcessGroup) {
    let first = state.withLock { state in
      state.phase = .passing(group)
      return state.first
    }
    if let first { end(first, in: .passing(group)) }
  }

  /// The run in the other process is over; the signal that has come meanwhile, or nil and there is nothing to cancel.
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
    // The thread that got the signal ends the process.
    while isEnding { pause() }
  }

  /// On the thread of the signals, which nothing here may hold up: the next one must be heard.
  private static func receive(_ signal: CInt) {
    StandardOutput.hurry()
    let (reaction, phase) = state.withLock { ($0.requests.take(signal, at: .now), $0.phase) }
    switch reaction {
    case .stop: break
    case .none: return
    case .endAtOnce:
      ProcessGuard.shared.killAll()
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
    // The run itself reports the result.
    case .passing(let group): group.send(signal)
    case .running(let run) where run.endWait():
      state.withLock { $0.hasEndedWait = true }
      StandardOutput.writeError("\nflowrun: stopping the services; press Ctrl-C again to end at once\n")
    case .running(let run):
      // First what matters: the output may have no reader.
      run.cancel()
      let seconds = StopTime.longest.components.seconds
      StandardOutput.writeError("\nflowrun: stopping; press Ctrl-C again to end at once (up to \(seconds) s)\n")
    }
  }

  /// Says what a second request leaves out, unless nothing reads standard error at the moment.
  private static func tellOfSecond() {
    var watched = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&watched, 1, 0) > 0 else { return }
    _ = Array("\nflowrun: ended at once; commands were killed, and cleanup did not finish\n".utf8).withUnsafeBytes {
      SystemCall.write(2, $0)
    }
  }

  /// Ends the process as the signal would, and everything that it has started.
  private static func exit(_ signal: CInt) -> Never {
    ProcessGuard.shared.killAll()
    ExitStatus.exit(128 + signal)
  }
}
