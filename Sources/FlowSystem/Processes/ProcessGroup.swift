import CFlowProcess
import Synchronization

/// A child and whatever it starts, which never outlives this process.
///
/// The child leads a session and a group of its own. Its number is told to the ``ProcessGuard`` before it becomes the
/// program, and belongs to no other process until it is collected.
package final class ProcessGroup: Sendable {
  /// The group's number, which is the number of the child that leads it.
  package let number: pid_t
  private let record: ProcessGuard.Record
  private let ending = Mutex<Ending?>(nil)
  private let inner: InnerRuns.Command?

  /// How the group ended.
  package struct Ending: Sendable, Hashable {
    /// How the child that leads it ended.
    package var status: TerminationStatus
    /// Whether it had left others running, which were then killed.
    package var leftBehind: Bool
  }

  /// Starts a child that sees these three descriptors as its first and no others of this process.
  ///
  /// - Parameters:
  ///   - terminal: the terminal in whose foreground the group is; nil: it has none.
  ///   - inner: the reports of runs inside the child; nil: they do not report.
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

  /// Sends a signal to every process of the group, unless it has been collected: its number may be another's. Runs of flowrun that
  /// have left the group get it, too.
  package func send(_ signal: CInt) {
    ending.withLock { ending in
      guard ending == nil else { return }
      kill(-number, signal)
      for process in inner?.processes(outside: number) ?? [] where process > 1 { kill(process, signal) }
    }
  }

  /// How the child that leads the group has ended; nil while it has not. It stays uncollected.
  package func status() -> TerminationStatus? { ending.withLock { $0?.status } ?? awaitLeader(WNOHANG) }

  /// A change of the child that leads the group.
  package enum Change: Sendable, Hashable {
    case ended
    /// A signal has stopped it.
    case stopped(signal: CInt)
  }

  /// Waits until the child that leads the group has ended, and stays uncollected, or has stopped.
  package func awaitChange() -> Change {
    while true {
      var information = siginfo_t()
      if waitid(P_PID, id_t(number), &information, WEXITED | WSTOPPED | WNOWAIT) != 0 {
        if errno == EINTR { continue }
        return .ended
      }
      guard information.si_code == CInt(CLD_STOPPED) else { return .ended }
      // A stop is reported until it is taken. Meanwhile the child may have continued.
      information = siginfo_t()
      guard waitid(P_PID, id_t(number), &information, WSTOPPED | WNOHANG) == 0, information.si_signo != 0 else {
        continue
      }
      return .stopped(signal: information.childStatus)
    }
  }

  /// How long processes of the group may take to leave it or to end once its leader has ended, as `setsid server &` does, and
  /// then between SIGTERM and SIGKILL.
  private static let leaveMilliseconds = 200

  /// Waits for the child that leads the group and ends the processes of the group that outlived it; of its whole session where
  /// somebody may be left there.
  package func collect(withSession: Bool = false) -> Ending {
    let (ending, isNew) = collectGroup()
    guard isNew else { return ending }
    if withSession { SessionSweep.kill(session: number) }
    ProcessGuard.shared.free(record)
    return ending
  }

  /// The same with the whole session, whose processes are looked for together with those of others; calls `done` once they have been
  /// ended, on some thread.
  package func collect(sessionDone done: @escaping @Sendable () -> Void) -> Ending {
    let (ending, isNew) = collectGroup()
    if isNew {
      SessionSweep.kill(session: number) { [self] in
        ProcessGuard.shared.free(record)
        done()
      }
    } else {
      done()
    }
    return ending
  }

  /// Waits for the leader and ends the rest of the group. Returns with it whether this call is the one that collected the leader.
  private func collectGroup() -> (Ending, isNew: Bool) {
    // The leader stays uncollected while it is waited for, so that the group can still be reached.
    _ = awaitLeader(0)
    let (first, isNew) = ending.withLock { ending in
      if let ending { return (ending, false) }
      var status: CInt = 0
      while waitpid(number, &status, 0) < 0, errno == EINTR {}
      let end = Ending(status: TerminationStatus(waitStatus: status), leftBehind: false)
      ending = end
      return (end, true)
    }
    if !isNew { return (first, false) }
    let end = Ending(status: first.status, leftBehind: endRest())
    ending.withLock { $0 = end }
    return (end, true)
  }

  /// Ends the processes of the group that do not leave it by themselves, once its leader was collected; whether there were any.
  ///
  /// The number of a group is given to no other while one of its processes lives. Where none does, the system would have to
  /// give out every other number before this one comes again: none is found.
  private func endRest() -> Bool {
    if isGone(within: Self.leaveMilliseconds) { return false }
    kill(-number, SIGTERM)
    let innerTime = inner?.milliseconds(in: number, others: false) ?? 0
    if !isGone(within: max(Self.leaveMilliseconds, innerTime)) { kill(-number, SIGKILL) }
    return true
  }

  /// The milliseconds that runs of flowrun need to stop which the child has started; 0: there are none.
  package var innerTime: Int { inner?.milliseconds(in: number, others: true) ?? 0 }

  private func isGone(within milliseconds: Int) -> Bool {
    var waited = 0
    while kill(-number, 0) == 0 {
      guard waited < milliseconds else { return false }
      _ = poll(nil, 0, 2)
      waited += 2
    }
    return true
  }

  /// How long a killed child may take to end; one in a call that the system cannot end is left to the guard.
  private static let killMilliseconds = 1000

  /// Kills the group and collects it. A process that ended by itself is reported with its own status.
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
  /// The exit status of a child, or the signal that has ended or stopped it.
  fileprivate var childStatus: CInt {
    #if canImport(Darwin)
      si_status
    #else
      _sifields._sigchld.si_status
    #endif
  }
}

extension Program {
  /// Starts it in a group of its own, noting its number in `record`; throws what failed.
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
