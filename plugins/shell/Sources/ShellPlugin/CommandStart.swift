import FlowModel
import FlowPluginKit
import FlowSystem

/// The program, arguments and environment of a command to start.
struct CommandStart {
  let command: Command
  /// The program that runs the command: the first word of a list, or the shell of a script.
  let program: Program
  /// The program that a script runs without a shell, or nil if a shell must run the script.
  private let plainProgram: Program?
  /// Receives reports from flowrun runs that the command starts.
  let inner: InnerRuns.Command?

  /// Finds the program in the child's `PATH` unless its name contains a slash. Throws an ``ActionError`` if it is not
  /// found or if the folder contains a null character.
  init(
    _ command: Command, folder: String, environment: ChildEnvironment, inner: InnerRuns.Command? = nil
  ) throws {
    self.inner = inner
    self.command = command
    guard !folder.utf8.contains(0) else {
      throw ActionError(
        "command-invalid", "the folder of a command cannot hold a null character", isRetryable: false)
    }
    program = Program(
      path: try Self.find(command.program, in: environment.path),
      arguments: CStrings([command.program] + command.arguments), environment: environment.entries, folder: folder)
    plainProgram =
      command.plainWords.flatMap { words in
        guard !environment.hasFunctions, let path = Self.findAsShell(words[0], in: environment.path) else { return nil }
        return Program(
          path: path, arguments: CStrings(words), environment: environment.entries(in: folder), folder: folder)
      }
  }

  /// Starts the program of a script directly if no shell is needed, and otherwise the command. A shell can also run
  /// programs that the system refuses to execute, such as scripts without `#!`.
  func group(input: CInt, output: CInt, errors: CInt, terminal: CInt? = nil) throws(SystemError) -> ProcessGroup {
    if let plainProgram {
      do throws(SystemError) {
        return try ProcessGroup(
          plainProgram, input: input, output: output, errors: errors, terminal: terminal, inner: inner)
      } catch {
        guard [ENOENT, ENOEXEC, EACCES, ENOTDIR].contains(error.number) else { throw error }
      }
    }
    return try ProcessGroup(program, input: input, output: output, errors: errors, terminal: terminal, inner: inner)
  }

  /// The empty standard input that all commands share.
  static let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)

  /// The number of descriptors that commands must leave for the rest of this process.
  private static let reservedDescriptors: CInt = 16

  /// Throws an error if a command with this descriptor would leave too few descriptors for the rest of this process.
  static func checkRoom(above number: CInt) throws(SystemError) {
    if DescriptorRoom.hasRoom(above: number, leaving: reservedDescriptors) { return }
    throw SystemError("cannot make a pipe", EMFILE)
  }

  /// Returns the path of a program. A name without a slash is searched for in the child's `PATH`. Throws if it is not
  /// found.
  private static func find(_ program: String, in path: String) throws -> String {
    if program.utf8.contains(UInt8(ascii: "/")) { return program }
    for place in path.utf8.split(separator: UInt8(ascii: ":")).map({ Substring($0) })
    where access("\(place)/\(program)", X_OK) == 0 {
      return "\(place)/\(program)"
    }
    throw notFound(program)
  }

  /// Returns the path of the program that a shell would run, or nil if there is none or only a shell can determine it.
  private static func findAsShell(_ program: String, in path: String) -> String? {
    if program.contains("/") { return program }
    for place in path.split(separator: ":", omittingEmptySubsequences: false) {
      // Relative entries depend on the folder of the command.
      guard place.first == "/" else { return nil }
      let file = "\(place)/\(program)"
      var status = stat()
      if access(file, X_OK) == 0, stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return file }
    }
    return nil
  }

  private static func notFound(_ program: String) -> ActionError {
    ActionError(
      "command-not-found", "there is no program '\(program)'; install it or correct its name", isRetryable: false)
  }

  /// Returns the error for arguments or variables that exceed the system's limit. Its message states the size of the
  /// longest argument or variable.
  private func tooLong() -> ActionError {
    let texts = [program.arguments, program.environment].map { $0.pointers.compactMap { $0 } }
    let total = texts.joined().reduce(0) { $0 + strlen($1) + 1 }
    let argument = texts[0].map { strlen($0) }.max() ?? 0
    let variable = texts[1].max { strlen($0) < strlen($1) }
    let longest = variable.map { Int(strlen($0)) } ?? 0
    let name = variable.map { String(cString: $0) }.map {
      String(decoding: $0.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
    }
    let size: Int
    let part: String
    if longest >= argument, let name {
      size = longest - name.utf8.count - 1
      part = "the variable '\(name)'"
    } else {
      size = Int(argument)
      part = "an argument"
    }
    let isAlone = max(longest, Int(argument)) >= Command.longestArgumentBytes
    let reason =
      isAlone
      ? "\(part) has \(size) bytes, more than the system takes in one"
      : "its arguments and variables have \(total) bytes together, more than the system takes; the longest, \(part), has \(size)"
    return ActionError(
      "arguments-too-long", "cannot run '\(command.description)': \(reason); write it to a file and pass the path",
      isRetryable: false)
  }

  /// Converts a system error into an error of the step.
  func explain(_ error: SystemError) -> ActionError {
    if access(program.folder, X_OK) != 0 {
      return ActionError(
        "folder-missing", "cannot run '\(command.description)' in '\(program.folder)': \(error.reason)",
        isRetryable: false)
    }
    if error.number == ENOENT { return Self.notFound(command.program) }
    if error.number == E2BIG { return tooLong() }
    let help = error.isLackOfDescriptors ? "; raise the limit of open files (ulimit -n)" : ""
    return ActionError("spawn-failed", "cannot run '\(command.description)': \(error.reason)\(help)", isRetryable: true)
  }
}
