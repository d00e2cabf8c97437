import FlowCommandKit
import FlowEngine
import FlowPlatform
import FlowSystem

/// Handles the signals that end flowrun. It is active from the first instruction of `main`.
///
/// The first request cancels the run, or ends the process if there is no run yet. A second request (see
/// ``InterruptRequests``) ends the process at once and kills the processes it started.
enum Interrupts {
  private struct State {
    var phase = Phase.readingArguments
    var requests = InterruptRequests()
    /// Removes the outputs of an earlier run if the process ends at once, or nil once the outputs have been written.
    var discard: (@Sendable () -> Void)?
    /// True if a request to end at once has been received.
    var endsAtOnce = false
    /// True if the first signal ended the wait of a run that keeps its services.
    var hasEndedWait = false
    var first: CInt? { requests.first }
  }

  private enum Phase {
    /// The arguments are being read: a signal waits until the requested outputs are known, which takes milliseconds.
    case readingArguments
    /// There is no run to cancel.
    case withoutRun
    /// A run is being prepared. `explain` reports that the run will not start.
    case preparing(explain: @Sendable (CInt) -> Void)
    /// The run is starting: its first steps may be running.
    case starting
    case running(WorkflowRun)
    /// The run is in another process.
    case passing(ProcessGroup)
  }

  private static let state = SharedMutex(State())

  static var first: CInt? { state.mutex.withLock { $0.first } }

  /// The first signal, or nil if there was none. Also nil if that signal only ended the wait of a run with `keep:
  /// services`.
  static var firstThatCancels: CInt? { state.mutex.withLock { $0.hasEndedWait ? nil : $0.first } }

  /// Starts handling signals. This is the first thing that the command does.
  static func take() {
    do throws(SystemError) {
      try SignalThread.start { signal in receive(signal) }
    } catch {
      // Without the thread, signals have their default effect: they end the process.
      StandardOutput.writeError("flowrun: \(error); signals will end it without a report\n")
    }
  }

  /// From now on, the arguments are known. If a signal has been received meanwhile, ends the process.
  ///
  /// - Parameter discard: Removes the outputs of an earlier run if the process ends before its run starts.
  static func readArguments(_ discard: (@Sendable () -> Void)?) {
    let first = state.mutex.withLock { state in
      state.phase = .withoutRun
      state.discard = discard
      return state.first
    }
    if let first { end(first, in: .withoutRun) }
  }

  /// From now on, a run is being prepared. A signal calls `explain` on a separate thread and then ends the process.
  static func prepare(explain: @escaping @Sendable (CInt) -> Void) {
    change(to: .preparing(explain: explain))
  }

  /// Sets a function that removes the outputs of an earlier run if the process is ended at once, or nil once those of
  /// this run have been written.
  static func ifEndedAtOnce(_ discard: (@Sendable () -> Void)?) { state.mutex.withLock { $0.discard = discard } }

  /// Returns if the run may print and write its report. If the process is being ended at once, waits for its end:
  /// killing the commands has ended the run, and its outputs are being removed.
  static func awaitReportTurn() {
    while state.mutex.withLock({ $0.endsAtOnce }) { pause() }
  }

  /// Sets the phase in which steps may be starting: a signal waits until it can cancel the run.
  static func holdForStart() { change(to: .starting) }

  /// Makes signals cancel this run. If a signal has already been received, the run is cancelled at once.
  static func cancel(_ run: WorkflowRun) {
    let first = state.mutex.withLock { state in
      state.phase = .running(run)
      return state.first
    }
    if let first { end(first, in: .running(run)) }
  }

  /// Makes signals pass to the process of a run. A signal that has already been received is forwarded at once.
  static func pass(to group: ProcessGroup) {
    let first = state.mutex.withLock { state in
      state.phase = .passing(group)
      return state.first
    }
    if let first { end(first, in: .passing(group)) }
  }

  /// Stops forwarding, because the run in the other process has ended. Returns the signal that was received meanwhile,
  /// or nil.
  static func endPassing() -> CInt? {
    state.mutex.withLock { state in
      if state.first == nil { state.phase = .withoutRun }
      return state.first
    }
  }

  private static func change(to phase: Phase) {
    let isEnding = state.mutex.withLock { state in
      if state.first == nil { state.phase = phase }
      return state.first != nil
    }
    // The thread that received the signal ends the process; this thread waits for that.
    while isEnding { pause() }
  }

  /// Handles a signal. This runs on the signal thread and must not block, because the next signal must be handled, too.
  private static func receive(_ signal: CInt) {
    StandardOutput.hurry()
    let (reaction, phase, discard) = state.mutex.withLock { state in
      let reaction = state.requests.take(signal, at: .now)
      if reaction == .endAtOnce { state.endsAtOnce = true }
      return (reaction, state.phase, state.discard)
    }
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
    case .readingArguments: break
    case .withoutRun:
      state.mutex.withLock { $0.discard }?()
      StandardOutput.writeError("flowrun: interrupted\n")
      exit(signal)
    case .preparing(let explain):
      explain(signal)
      StandardOutput.writeError("flowrun: interrupted before the run started\n")
      exit(signal)
    case .starting: break
    // The run in the other process reports its result itself.
    case .passing(let group): group.send(signal)
    case .running(let run) where run.endWait():
      state.mutex.withLock { $0.hasEndedWait = true }
      StandardOutput.writeError("\nflowrun: stopping the services; press Ctrl-C again to end at once\n")
    case .running(let run):
      // The run is cancelled first, because writing the message can block.
      run.cancel()
      let seconds = StopTime.longest.components.seconds
      StandardOutput.writeError("\nflowrun: stopping; press Ctrl-C again to end at once (up to \(seconds) s)\n")
    }
  }

  /// Prints which work the second request skips. Prints nothing if writing to standard error would block.
  private static func tellOfSecond() {
    var watched = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&watched, 1, 0) > 0 else { return }
    _ = Array("\nflowrun: ended at once; commands were killed, and cleanup did not finish\n".utf8).withUnsafeBytes {
      SystemCall.write(2, $0)
    }
  }

  /// Ends the process with the exit code of the signal, and kills the processes it started.
  private static func exit(_ signal: CInt) -> Never {
    ProcessGuard.shared.killAll()
    ExitStatus.exit(128 + signal)
  }
}
