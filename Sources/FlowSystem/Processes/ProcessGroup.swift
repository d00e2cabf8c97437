import CFlowProcess
import Synchronization

/// A child process and its descendants, which never outlive this process.
///
/// The child leads a separate session and group. Its number is recorded for the ``ProcessGuard`` before it executes the
/// program, and is not reused until it is reaped.
package final class ProcessGroup: Sendable {
  /// The number of the group and of the child that leads it.
  package let number: pid_t
  private let record: ProcessGuard.Record
  private let ending = Mutex<Ending?>(nil)
  private let inner: InnerRuns.Command?

  /// The result of a group that has ended.
  package struct Ending: Sendable, Hashable {
    /// The status of the child that leads it.
    package var status: TerminationStatus
    /// True if the child left other processes running, which were then killed.
    package var leftBehind: Bool

    package init(status: TerminationStatus, leftBehind: Bool) {
      self.status = status
      self.leftBehind = leftBehind
    }
  }

  /// Starts a child that inherits only these three descriptors, as its first ones.
  ///
  /// - Parameters:
  ///   - terminal: the terminal in whose foreground the group runs, or nil.
  ///   - inner: the reports of nested runs in the child, or nil.
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

  /// Sends a signal to every process of the group, unless it has been reaped and its number may be reused. Nested runs
  /// of flowrun that have left the group receive it, too.
  package func send(_ signal: CInt) {
    ending.withLock { ending in
      guard ending == nil else { return }
      kill(-number, signal)
      for process in inner?.processes(outside: number) ?? [] where process > 1 { kill(process, signal) }
    }
  }

  /// True if a process belongs to the child's session, descends from the child, or was started by such a process, as
  /// far as the system shows it.
  func includes(_ process: pid_t) -> Bool {
    var ancestor = process
    // A number may be reused while the ancestors are looked up, so they may form a circle.
    for _ in 0..<Self.longestDescent {
      guard let entry = ProcessTable.entry(of: ancestor) else { break }
      if ancestor == number || entry.session == number { return true }
      if entry.parent <= 1 { break }
      ancestor = entry.parent
    }
    return inner.map { LeftBehind.has(InnerRuns.variable, $0.value, process) } ?? false
  }

  /// The maximum number of ancestors to look up.
  private static let longestDescent = 64

  /// The status of the child that leads the group, or nil while it runs. It is not reaped.
  package func status() -> TerminationStatus? { ending.withLock { $0?.status } ?? awaitLeader(WNOHANG) }

  /// A change of state of the child that leads the group.
  package enum Change: Sendable, Hashable {
    case ended
    case stopped(signal: CInt)
  }

  /// Waits until the child that leads the group has ended, without reaping it, or has stopped.
  package func awaitChange() -> Change {
    while true {
      var information = siginfo_t()
      if waitid(P_PID, id_t(number), &information, WEXITED | WSTOPPED | WNOWAIT) != 0 {
        if errno == EINTR { continue }
        return .ended
      }
      guard information.si_code == CInt(CLD_STOPPED) else { return .ended }
      // A stop is reported until it is consumed. The child may have continued in the meantime.
      information = siginfo_t()
      guard waitid(P_PID, id_t(number), &information, WSTOPPED | WNOHANG) == 0, information.si_signo != 0 else {
        continue
      }
      return .stopped(signal: information.childStatus)
    }
  }

  /// Waits for the child that leads the group and reaps it. Ends processes of the group that outlive it. If
  /// `withSession`, also kills the remaining processes of its session.
  package func collect(withSession: Bool = false) -> Ending {
    let (first, isNew) = collectLeader()
    guard isNew else { return first }
    var rest = GroupRest(group: number, inner: inner)
    let ending = rest.hasProcess ? store(first.status, leftBehind: rest.end()) : first
    if withSession { SessionSweep.kill(session: number) }
    ProcessGuard.shared.free(record)
    return ending
  }

  /// Like ``collect(withSession:)``, but waits only for the leader. Returns the ending if nothing else remains to be
  /// done. Otherwise, it returns nil and calls `done` once with the ending, on any thread. Concurrent calls share one
  /// scan of the processes.
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

  /// Waits for the leader. Returns its ending, and true if this call has reaped it.
  private func collectLeader() -> (Ending, isNew: Bool) {
    // The leader is reaped only after this wait, so that signals can still be sent to the group.
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

  /// The milliseconds that nested runs of flowrun in the child need to stop, or 0 if there are none.
  package var innerTime: Int { inner?.milliseconds(in: number, others: true) ?? 0 }

  /// The time limit for a killed child to end. A child in a system call that cannot be interrupted is left to the
  /// guard.
  private static let killMilliseconds = 1000

  /// Kills the group and reaps it. A process that had already ended is reported with its own status.
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
  /// The exit status of a child, or the signal that ended or stopped it.
  fileprivate var childStatus: CInt {
    #if canImport(Darwin)
      si_status
    #else
      _sifields._sigchld.si_status
    #endif
  }
}

extension Program {
  /// Starts the child in a separate group and writes its number to `record`; throws the error of the failed call.
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
