import FlowModel
import FlowPluginKit
import FlowSystem

/// What it takes to start a command, and what to say when it cannot be started.
struct CommandStart {
  let command: Command
  let program: Program

  /// Looks for the program in `path`, the child's own folders; throws an ``ActionError`` when it is not there.
  init(_ command: Command, folder: String, environment: CStrings, path: String) throws {
    self.command = command
    program = Program(
      path: try Self.find(command.program, in: path), arguments: CStrings([command.program] + command.arguments),
      environment: environment, folder: folder)
  }

  /// Standard input of every child; one descriptor for all of them.
  static let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)

  /// Descriptors that commands leave to everybody else in this process.
  private static let reservedDescriptors: rlim_t = 16

  /// Throws when a command that has this descriptor would leave too few to the others.
  static func checkRoom(above number: CInt) throws(SystemError) {
    var limit = rlimit()
    #if canImport(Glibc)
      let failed = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0
    #else
      let failed = getrlimit(RLIMIT_NOFILE, &limit) != 0
    #endif
    if !failed, rlim_t(number) + reservedDescriptors > limit.rlim_cur {
      throw SystemError("cannot make a pipe", EMFILE)
    }
  }

  /// Where a program is: as stated when it has a slash, else in the first folder of the child's own PATH that has it.
  private static func find(_ program: String, in path: String) throws -> String {
    if program.contains("/") { return program }
    for place in path.split(separator: ":") where access("\(place)/\(program)", X_OK) == 0 {
      return "\(place)/\(program)"
    }
    throw notFound(program)
  }

  private static func notFound(_ program: String) -> ActionError {
    ActionError(
      "command-not-found", "there is no program '\(program)'; install it or correct its name", isRetryable: false)
  }

  /// The step's error for what the system said.
  func explain(_ error: SystemError) -> ActionError {
    if access(program.folder, X_OK) != 0 {
      return ActionError(
        "folder-missing", "cannot run '\(command.description)' in '\(program.folder)': \(error.reason)",
        isRetryable: false)
    }
    if error.number == ENOENT { return Self.notFound(command.program) }
    let help = error.isLackOfDescriptors ? "; raise the limit of open files (ulimit -n)" : ""
    return ActionError("spawn-failed", "cannot run '\(command.description)': \(error.reason)\(help)", isRetryable: true)
  }
}
