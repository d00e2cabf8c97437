import CFlowProcess
import FlowModel
import FlowPluginKit

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One command as a child in a process group of its own, whose whole group ends with it.
struct ChildProcess {
  var command: Command
  var folder: String
  /// `NAME=value`, all of them.
  var environment: CStrings
  /// The folders in which a program without a slash is looked for.
  var path: String

  /// How a child ended.
  struct Ending {
    /// As `waitpid` gives it.
    var status: Int32
    var output: [UInt8]
    var errorOutput: [UInt8]
    /// Whether it had left processes running, which were then ended.
    var leftBehind: Bool

    /// The number of the signal that ended it; nil: it exited.
    var signal: Int32? { status & 0x7F == 0 ? nil : status & 0x7F }
    /// The status with which it exited.
    var exitStatus: Int { Int(status >> 8 & 0xFF) }
  }

  /// Runs the child to its end on this thread; cancelling the step ends its group, by SIGTERM first.
  func run(in context: ActionContext) throws -> Ending {
    try context.checkCancellation()
    var output = try OutputPipe()
    var errorOutput: OutputPipe
    do { errorOutput = try OutputPipe() } catch {
      output.close()
      throw error
    }
    defer {
      output.close()
      errorOutput.close()
    }
    let leader = try spawn(output.writingEnd, errorOutput.writingEnd)
    output.closeWritingEnd()
    errorOutput.closeWritingEnd()
    let group = ChildGroup(leader: leader)
    group.end(whenCancelled: context)
    let fits = Self.read(&output, &errorOutput, untilEndOf: leader)
    if !fits { group.send(SIGKILL) }
    let (status, leftBehind) = group.collect()
    try context.checkCancellation()
    guard fits else { throw Self.tooLarge(command) }
    return Ending(status: status, output: output.bytes, errorOutput: errorOutput.bytes, leftBehind: leftBehind)
  }

  /// How long the outputs alone are waited for. Most commands have closed both by then, and need no descriptor for
  /// their end, which costs more to make than a pipe.
  private static let shortMilliseconds: Int32 = 20
  /// How often the leader is looked after where there is no descriptor for its end.
  private static let lookMilliseconds: Int32 = 50

  /// Reads both outputs until both are at their end or the leader has ended: somebody it left behind may hold them open.
  /// False when they are larger than allowed.
  private static func read(
    _ output: inout OutputPipe, _ errorOutput: inout OutputPipe, untilEndOf leader: pid_t
  ) -> Bool {
    var end: Int32 = -1
    defer { if end >= 0 { close(end) } }
    var patience = shortMilliseconds
    while output.isOpen || errorOutput.isOpen {
      var files = (
        pollfd(fd: output.readingEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errorOutput.readingEnd, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end, events: Int16(POLLIN), revents: 0)
      )
      let ready = withUnsafeMutableBytes(of: &files) { bytes in
        poll(bytes.bindMemory(to: pollfd.self).baseAddress, 3, patience)
      }
      if ready < 0, errno != EINTR { return true }
      var hasEnded = files.2.revents != 0
      if ready == 0 {
        hasEnded = isOver(leader)
        end = flow_watch_exit(leader)
        patience = end >= 0 ? -1 : lookMilliseconds
      }
      if files.0.revents != 0 || hasEnded { output.read(everything: hasEnded) }
      if files.1.revents != 0 || hasEnded { errorOutput.read(everything: hasEnded) }
      if output.bytes.count + errorOutput.bytes.count > Limits.outputBytes { return false }
      if hasEnded { return true }
    }
    return true
  }

  /// Whether the leader has ended; it stays uncollected.
  private static func isOver(_ leader: pid_t) -> Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(leader), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo != 0
  }

  private func spawn(_ output: Int32, _ errorOutput: Int32) throws -> pid_t {
    let program = try find(command.program)
    let arguments = CStrings([command.program] + command.arguments)
    var leader = pid_t()
    let failure = withExtendedLifetime((arguments, environment)) {
      program.withCString { program in
        folder.withCString { folder in
          var request = flow_spawn_request(
            program: program, arguments: arguments.pointers.baseAddress, environment: environment.pointers.baseAddress,
            directory: folder, input: Self.nothing, output: output, error: errorOutput, group: 0)
          return flow_spawn(&request, &leader)
        }
      }
    }
    guard failure == 0 else { throw spawnError(failure) }
    return leader
  }

  /// Standard input of every child; one descriptor for all of them.
  private static let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)

  /// Where a program is: as stated when it has a slash, else in the first folder of the child's own PATH that has it.
  private func find(_ program: String) throws -> String {
    if program.contains("/") { return program }
    for place in path.split(separator: ":") where access("\(place)/\(program)", X_OK) == 0 {
      return "\(place)/\(program)"
    }
    throw notFound
  }

  private var notFound: ActionError {
    ActionError(
      "command-not-found", "there is no program '\(command.program)'; install it or correct its name",
      isRetryable: false)
  }

  private func spawnError(_ code: Int32) -> ActionError {
    let reason = String(cString: strerror(code))
    if access(folder, X_OK) != 0 {
      return ActionError(
        "folder-missing", "cannot run '\(command.description)' in '\(folder)': \(reason)", isRetryable: false)
    }
    if code == ENOENT { return notFound }
    return ActionError("spawn-failed", "cannot run '\(command.description)': \(reason)", isRetryable: true)
  }

  /// The error for a command that wrote more than fits.
  static func tooLarge(_ command: Command) -> ActionError {
    ActionError(
      "output-too-large",
      "'\(command.description)' wrote more than \(Limits.outputBytes) bytes; send its output to a file",
      isRetryable: false)
  }
}
