import CFlowProcess
import Synchronization

/// Kills all descendants of this process when the process ends for any reason. The guard is a child process that is
/// started with the first group. It has a table of all groups.
///
/// It is a `sh` that reads from a pipe, the *lifeline*, whose only writing end is in this process. When this process
/// ends, the kernel closes that end. The guard then reads the end of the file and kills every group in the table.
/// (`PR_SET_PDEATHSIG` would take effect as soon as the *thread* that spawned the child ends.)
///
/// The table is a file in memory. Each child writes its own number to it before it executes the program, and keeps the
/// lifeline open until then, so that there is no gap. Starting a command causes no work for the guard.
package final class ProcessGuard: Sendable {
  package static let shared = ProcessGuard()

  /// The maximum number of groups that can exist at the same time.
  package static let groupLimit = 8192

  /// An entry of the table, for one group.
  // Proof of safety: `pointer` points into the table, which is mapped until the process ends, and every access to it is
  // atomic.
  package struct Record: @unchecked Sendable {
    fileprivate let index: Int
    let pointer: UnsafeMutablePointer<UInt64>
  }

  private struct State: ~Copyable {
    var table: (records: UnsafeMutablePointer<UInt64>, file: CInt)?
    /// One bit for each entry of the table, set if it is used.
    var taken = [UInt64](repeating: 0, count: ProcessGuard.groupLimit / 64)
    /// The index of the entry that marks the end of the table.
    var end = 0
    var process: pid_t = 0
    var lifeline = Descriptor(-1)
  }

  private let state = Mutex(State())

  private init() {}

  /// Reserves an entry for a group that is about to start. Starts the guard unless it is running.
  package func newRecord() throws(SystemError) -> Record {
    try state.withLock { state throws(SystemError) in
      if !Self.isRunning(state.process) { try Self.start(&state) }
      guard let table = state.table, let word = state.taken.firstIndex(where: { $0 != .max }) else {
        throw SystemError("cannot start more than \(Self.groupLimit) processes at once", EAGAIN)
      }
      let bit = (~state.taken[word]).trailingZeroBitCount
      state.taken[word] |= 1 << bit
      let index = word * 64 + bit
      if index == state.end {
        state.end += 1
        flow_guard_end(table.records + state.end)
      }
      // From now on, the guard reads past this entry.
      flow_guard_clear(table.records + index)
      return Record(index: index, pointer: table.records + index)
    }
  }

  /// Frees the entry of a group that has ended or was not started.
  package func free(_ record: Record) {
    flow_guard_clear(record.pointer)
    state.withLock { $0.taken[record.index / 64] &= ~(1 << (record.index % 64)) }
  }

  /// Kills every group immediately, because the process is about to end.
  package func killAll() {
    state.withLock { state in
      guard let table = state.table else { return }
      for index in 0..<Self.groupLimit where state.taken[index / 64] & 1 << (index % 64) != 0 {
        let group = flow_guard_group(table.records + index)
        if group > 1 { kill(-group, SIGKILL) }
      }
    }
  }

  /// Ends the processes that commands left running in other sessions, and returns their descriptions. Called last
  /// before the process ends. If no group is left, notifies the guard that it need not search again.
  package func endLeftBehind() -> [String] {
    let names = LeftBehind.end()
    state.withLock { state in
      guard state.taken.allSatisfy({ $0 == 0 }), state.lifeline.number >= 0 else { return }
      _ = "nothing\n".withCString {
        SystemCall.write(state.lifeline.number, UnsafeRawBufferPointer(start: $0, count: 8))
      }
    }
    return names
  }

  private static func isRunning(_ process: pid_t) -> Bool {
    if process == 0 { return false }
    var information = siginfo_t()
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo == 0
  }

  /// The script of the guard.
  ///
  /// - It ignores signals that ask other processes to end.
  /// - After killing a group, it kills the remaining processes of the group's session. Linux shows the session in the
  ///   fourth field after the name in `stat`. Zombies are skipped.
  /// - It finds processes in other sessions by ``LeftBehind``'s mark in their environment.
  /// - The word `nothing` means that there is nothing left to kill.
  private static let script = """
    trap '' HUP INT QUIT TERM PIPE ALRM USR1 USR2 TSTP
    mark=$1
    read -r word
    [ "$word" = nothing ] && exit
    sessions=' '
    while read -r group && [ "$group" != end ]; do
      case $group in '' | *[!0-9]* | 0* | 1) continue ;; esac
      kill -KILL "-$group"
      sessions="$sessions$group "
    done <&1
    for look in 1 2 3; do
      [ "$sessions" = ' ' ] && break
      for file in /proc/[0-9]*/stat; do
        read -r line <"$file" || continue
        process=${file#/proc/}
        set -- ${line##*) }
        case $1:$sessions in
          Z:*) ;;
          *" $4 "*) kill -KILL "${process%/stat}" ;;
        esac
      done
    done
    for look in 1 2 3; do
      marked=$(grep -lszxF "$mark" /proc/[0-9]*/environ)
      [ -z "$marked" ] && break
      for file in $marked; do
        process=${file#/proc/}
        kill -KILL "${process%/environ}"
      done
    done
    """

  private static func start(_ state: inout State) throws(SystemError) {
    if state.process != 0 {
      // The guard was killed. The table still lists all groups.
      var status: CInt = 0
      while waitpid(state.process, &status, 0) < 0, errno == EINTR {}
      state.process = 0
    }
    if state.table == nil {
      var file: CInt = -1
      guard let records = flow_guard_table(CInt(groupLimit + 1), &file) else {
        throw SystemError("cannot make the table of processes", errno)
      }
      state.table = (records, file)
    }
    guard let table = state.table else { return }
    let pipe = try Descriptor.pipe()
    let null = try Descriptor.null()
    let program = Program(
      ["/bin/sh", "-c", script, "flowrun-guard", "\(LeftBehind.variable)=\(LeftBehind.mark)"], environment: [:],
      folder: "/")
    lseek(table.file, 0, SEEK_SET)
    state.process = try program.start(
      input: pipe.reading.number, output: table.file, errors: null.number, record: nil)
    state.lifeline = pipe.takeWriting()
  }
}
