import CFlowProcess
import Synchronization

/// A child process and its descendants. They never outlive this process.
///
/// The child leads its own session and group. Before it executes the program, its number is recorded for the
/// ``ProcessGuard``. The number is not reused until the child is reaped.
package final class ProcessGroup: Sendable {
  /// The number of the group, which is also that of the child that leads it.
  package let number: pid_t
  private let record: ProcessGuard.Record
  private let ending = Mutex<Ending?>(nil)
  private let inner: InnerRuns.Command?

  /// The end of a group: its leader's exit status, and whether processes were left behind.
  package struct Ending: Sendable, Hashable {
    /// The exit status of the child that led the group.
    package var status: TerminationStatus
    /// True if the child left processes running in the group, which were then killed.
    package var leftBehind: Bool

    package init(status: TerminationStatus, leftBehind: Bool) {
      self.status = status
      self.leftBehind = leftBehind
    }
  }

  /// Starts a child. It inherits only these three descriptors, as its standard input, output and error.
  ///
  /// - Parameters:
  ///   - terminal: The terminal in whose foreground the group runs, or nil if it does not use one.
  ///   - inner: The record for reports of nested runs in the child, or nil if there is none.
  package init(
    _ program: Program, input: CInt, output: CInt, errors: CInt, terminal: CInt? = nil, inner: InnerRuns.Command? = nil
  ) throws(SystemError) {
    self.inner = inner
    let record = try ProcessGuard.shared.newRecord()
    do throws(SystemError) {
      number = try program.start(
        input: input, output: output, errors: errors, record: record.pointer, terminal: terminal,
        report: inner?.descriptor)
    } catch {
      ProcessGuard.shared.free(record)
      throw error
    }
    self.record = record
  }

  deinit { _ = end() }

  /// Sends a signal to every process of the group. Does nothing if the group was reaped, because its number may be
  /// reused. Nested runs of flowrun that have left the group also receive the signal.
  package func send(_ signal: CInt) {
    ending.withLock { ending in
      guard ending == nil else { return }
      kill(-number, signal)
      for process in inner?.processes(outside: number) ?? [] where process > 1 { kill(process, signal) }
    }
  }

  /// True if a process belongs to the child's session, descends from the child, or was started by such a process, as
  /// far as the system shows.
  func includes(_ process: pid_t) -> Bool {
    var ancestor = process
    // A number may be reused during the search, so the ancestors may seem to form a cycle.
    for _ in 0..<Self.longestDescent {
      guard let entry = ProcessTable.entry(of: ancestor) else { break }
      if ancestor == number || entry.session == number { return true }
      if entry.parent <= 1 { break }
      ancestor = entry.parent
    }
    return inner.map { LeftBehind.has(InnerRuns.variable, $0.value, process) } ?? false
  }

  /// The maximum number of ancestors that are searched.
  private static let longestDescent = 64

  /// Returns the exit status of the child that leads the group, or nil while the child is running. Does not reap it.
  package func status() -> TerminationStatus? { ending.withLock { $0?.status } ?? awaitLeader(WNOHANG) }

  /// A change in the state of the child that leads the group.
  package enum Change: Sendable, Hashable {
    case ended
    case stopped(signal: CInt)
  }

  /// Waits until the child that leads the group ends or stops. Does not reap it.
  package func awaitChange() -> Change {
    while true {
      var information = siginfo_t()
      if waitid(P_PID, id_t(number), &information, WEXITED | WSTOPPED | WNOWAIT) != 0 {
        if errno == EINTR { continue }
        return .ended
      }
      guard information.si_code == CInt(CLD_STOPPED) else { return .ended }
      // The system reports a stop until it is consumed. The child may have continued in the meantime.
      information = siginfo_t()
      guard waitid(P_PID, id_t(number), &information, WSTOPPED | WNOHANG) == 0, information.si_signo != 0 else {
        continue
      }
      return .stopped(signal: information.childStatus)
    }
  }

  /// Waits for the child that leads the group and reaps it. Ends the processes of the group that outlive it. If
  /// `withSession` is true, also kills the remaining processes of its session.
  package func collect(withSession: Bool = false) -> Ending {
    let (first, isNew) = collectLeader()
    guard isNew else { return first }
    var rest = GroupRest(group: number, inner: inner)
    let ending = rest.hasProcess ? store(first.status, leftBehind: rest.end()) : first
    if withSession { SessionSweep.kill(session: number) }
    ProcessGuard.shared.free(record)
    return ending
  }

  /// Like ``collect(withSession:)``, but blocks only until the leader has ended. Returns the ending if nothing else
  /// remains to be done. Otherwise, returns nil and later calls `done` once with the ending, on any thread. Concurrent
  /// calls share the scans of all processes.
  package func collect(withSession: Bool, _ done: @escaping @Sendable (Ending) -> Void) -> Ending? {
    let (first, isNew) = collectLeader()
    guard isNew else { return first }
    let rest = GroupRest(group: number, inner: inner)
    if !rest.hasProcess {
      if withSession {
        endSession(first, done)
        return nil
      }
      ProcessGuard.shared.free(record)
      return first
    }
    GroupRests.shared.end(rest) { [self] leftBehind in
      let ending = store(first.status, leftBehind: leftBehind)
      if withSession { return endSession(ending, done) }
      ProcessGuard.shared.free(record)
      done(ending)
    }
    return nil
  }

  private func endSession(_ ending: Ending, _ done: @escaping @Sendable (Ending) -> Void) {
    SessionSweep.kill(session: number) { [self] in
      ProcessGuard.shared.free(record)
      done(ending)
    }
  }

  private func store(_ status: TerminationStatus, leftBehind: Bool) -> Ending {
    let end = Ending(status: status, leftBehind: leftBehind)
    ending.withLock { $0 = end }
    return end
  }

  /// Waits for the leader and returns its ending. `isNew` is true if this call reaped the leader.
  private func collectLeader() -> (Ending, isNew: Bool) {
    // Until this wait is over, the leader is not reaped, so that signals can still be sent to the group.
    _ = awaitLeader(0)
    return ending.withLock { ending in
      if let ending { return (ending, false) }
      var status: CInt = 0
      while waitpid(number, &status, 0) < 0, errno == EINTR {}
      let end = Ending(status: TerminationStatus(waitStatus: status), leftBehind: false)
      ending = end
      return (end, true)
    }
  }

  /// The longest time, in milliseconds, that nested runs of flowrun in the child need to stop, or 0 if there are none.
  package var innerTime: Int { inner?.milliseconds(in: number, others: true) ?? 0 }

  /// The time limit for the end of a killed child. A child in an uninterruptible system call is left to the guard.
  private static let killMilliseconds = 1000

  /// Kills the group and reaps it. Returns the child's own status if the child had already ended. A child that does not
  /// end in time is not reaped.
  package func end() -> TerminationStatus {
    if let ending = ending.withLock({ $0 }) { return ending.status }
    send(SIGKILL)
    var waits = 0
    while awaitLeader(WNOHANG) == nil {
      guard waits < Self.killMilliseconds else { return .signaled(number: SIGKILL) }
      waits += 1
      _ = poll(nil, 0, 1)
    }
    return collect().status
  }

  private func awaitLeader(_ options: CInt) -> TerminationStatus? {
    var information = siginfo_t()
    while true {
      if waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT | options) == 0 { break }
      if errno != EINTR { return nil }
    }
    guard information.si_signo != 0 else { return nil }
    let status = information.childStatus
    return information.si_code == CInt(CLD_EXITED) ? .exited(code: status & 0xFF) : .signaled(number: status)
  }
}

extension siginfo_t {
  /// The exit status of a child, or the number of the signal that ended or stopped it.
  fileprivate var childStatus: CInt {
    #if canImport(Darwin)
      si_status
    #else
      _sifields._sigchld.si_status
    #endif
  }
}

extension Program {
  /// Starts the child in its own group and writes its number to `record`. Throws the error of the system call that
  /// failed.
  func start(
    input: CInt, output: CInt, errors: CInt, record: UnsafeMutablePointer<UInt64>?, terminal: CInt? = nil,
    report: CInt? = nil
  ) throws(SystemError) -> pid_t {
    var child: pid_t = 0
    let failure = withExtendedLifetime((arguments, environment)) {
      path.withCString { path in
        folder.withCString { folder in
          var request = flow_spawn_request(
            program: path, arguments: arguments.pointers.baseAddress, environment: environment.pointers.baseAddress,
            directory: folder, input: input, output: output, error: errors, record: record,
            terminal: terminal ?? -1, report: report ?? -1)
          return flow_spawn(&request, &child)
        }
      }
    }
    if failure != 0 { throw SystemError("cannot start '\(path)'", failure) }
    return child
  }
}
