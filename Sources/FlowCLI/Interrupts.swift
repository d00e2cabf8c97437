import FlowCommandKit
import FlowEngine
import FlowPlatform
import FlowSystem

/// Handles the signals that end flowrun. It is active from the beginning of `main`.
///
/// The first request cancels the run, or ends the process if there is no run. A second request (see
/// ``InterruptRequests``) ends the process at once and kills the processes that it has started.
enum Interrupts {
  private struct State {
    var phase = Phase.readingArguments
    var requests = InterruptRequests()
    /// Removes the outputs of an earlier run if the process ends at once. Nil after the outputs of this run have been
    /// written.
    var discard: (@Sendable () -> Void)?
    /// True if the process has been asked to end at once.
    var endsAtOnce = false
    /// True if the first signal only ended the wait of a run that keeps its services.
    var hasEndedWait = false
    var first: CInt? { requests.first }
  }

  private enum Phase {
    /// The arguments are being read. This takes milliseconds. A signal waits until the requested outputs are known.
    case readingArguments
    /// There is no run to cancel.
    case withoutRun
    /// A run is being prepared. `explain` reports that it will not start because of a signal.
    case preparing(explain: @Sendable (CInt) -> Void)
    /// The run is starting, so its first steps may already be running.
    case starting
    case running(WorkflowRun)
    /// The run is in another process, to which signals are forwarded.
    case passing(ProcessGroup)
  }

  private static let state = SharedMutex(State())

  static var first: CInt? { state.mutex.withLock { $0.first } }

  /// The first signal that cancels, or nil. A signal that only ended the wait of a run with `keep: services` does not
  /// count.
  static var firstThatCancels: CInt? { state.mutex.withLock { $0.hasEndedWait ? nil : $0.first } }

  /// Starts handling signals. The command does this before anything else.
  static func take() {
    do throws(SystemError) {
      try SignalThread.start { signal in receive(signal) }
    } catch {
      // If the thread cannot be started, signals have their default effect and end the process.
      StandardOutput.writeError("flowrun: \(error); signals will end it without a report\n")
    }
  }

  /// Ends the phase in which arguments are read. If a signal has been received in the meantime, ends the process.
  ///
  /// - Parameter discard: Removes the outputs of an earlier run if the process ends before its own run starts.
  static func readArguments(_ discard: (@Sendable () -> Void)?) {
    let first = state.mutex.withLock { state in
      state.phase = .withoutRun
      state.discard = discard
      return state.first
    }
    if let first { end(first, in: .withoutRun) }
  }

  /// Begins the phase in which a run is prepared. A signal calls `explain` on a separate thread and then ends the
  /// process.
  static func prepare(explain: @escaping @Sendable (CInt) -> Void) {
    change(to: .preparing(explain: explain))
  }

  /// Sets the function that removes the outputs of an earlier run if the process ends at once. Nil after the outputs of
  /// this run have been written.
  static func ifEndedAtOnce(_ discard: (@Sendable () -> Void)?) { state.mutex.withLock { $0.discard = discard } }

  /// Waits until the run may print and write its report. Never returns if the process is ending at once: the run has
  /// ended only because its commands were killed, and its outputs are being removed.
  static func awaitReportTurn() {
    while state.mutex.withLock({ $0.endsAtOnce }) { pause() }
  }

  /// Begins the phase in which the run starts. A signal waits until it can cancel the run.
  static func holdForStart() { change(to: .starting) }

  /// Makes signals cancel this run. If one has already been received, cancels the run immediately.
  static func cancel(_ run: WorkflowRun) {
    let first = state.mutex.withLock { state in
      state.phase = .running(run)
      return state.first
    }
    if let first { end(first, in: .running(run)) }
  }

  /// Forwards signals to the process group of the run. If a signal has already been received, forwards it immediately.
  static func pass(to group: ProcessGroup) {
    let first = state.mutex.withLock { state in
      state.phase = .passing(group)
      return state.first
    }
    if let first { end(first, in: .passing(group)) }
  }

  /// Stops forwarding signals, because the run in the other process has ended. Returns the signal that was received in
  /// the meantime, or nil.
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
    // Another thread has received the signal and is ending the process, so this one waits.
    while isEnding { pause() }
  }

  /// Handles a signal. It runs on the signal thread and must not block, because the next signal must be handled as
  /// well.
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
    // The other process reports the result of its run itself.
    case .passing(let group): group.send(signal)
    case .running(let run) where run.endWait():
      state.mutex.withLock { $0.hasEndedWait = true }
      StandardOutput.writeError("\nflowrun: stopping the services; press Ctrl-C again to end at once\n")
    case .running(let run):
      // The run is cancelled before the message is written, because writing can block.
      run.cancel()
      let seconds = StopTime.longest.components.seconds
      StandardOutput.writeError("\nflowrun: stopping; press Ctrl-C again to end at once (up to \(seconds) s)\n")
    }
  }

  /// Prints that a second request has ended the process before its cleanup. Prints nothing if writing to standard error
  /// would block.
  private static func tellOfSecond() {
    var watched = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
    guard poll(&watched, 1, 0) > 0 else { return }
    _ = Array("\nflowrun: ended at once; commands were killed, and cleanup did not finish\n".utf8).withUnsafeBytes {
      SystemCall.write(2, $0)
    }
  }

  /// Kills the processes that this process has started, and then ends it with the exit code for the signal.
  private static func exit(_ signal: CInt) -> Never {
    ProcessGuard.shared.killAll()
    ExitStatus.exit(128 + signal)
  }
}
