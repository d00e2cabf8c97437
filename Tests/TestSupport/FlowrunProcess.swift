import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The real `flowrun` binary, driven whole: a process with its own standard files, signals and exit code.
///
/// The process gets a clean signal mask, so that SIGINT and SIGTERM do to it what they do at a terminal.
public final class FlowrunProcess {
  /// What a call gave back.
  public struct Result: Sendable {
    /// The exit code; 128 plus the signal's number when a signal ended the process.
    public var exitCode: Int32
    /// Standard output.
    public var output: String
    /// Standard error.
    public var errors: String
    /// The lines of standard output.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let process: pid_t
  private let outputPath: String
  private let errorPath: String

  /// The binary that the tests were built with, or the one that `FLOWRUN_TEST_BINARY` names.
  public static var path: String {
    if let path = ProcessInfo.processInfo.environment["FLOWRUN_TEST_BINARY"] { return path }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("flowrun")
      .path
  }

  /// Runs `flowrun` to its end; ends it after `limitSeconds`.
  public static func run(
    _ arguments: [String], in folder: String? = nil, input: String = "", environment: [String: String] = [:],
    standardOutput: String? = nil, limitSeconds: Int = 60
  ) throws -> Result {
    try FlowrunProcess(
      arguments, in: folder, input: input, environment: environment, standardOutput: standardOutput
    ).result(limitSeconds: limitSeconds)
  }

  /// Starts `flowrun`; `environment` is added to this process's own, and `standardOutput` and `standardError` name devices
  /// that are written to instead of being read.
  public init(
    _ arguments: [String], in folder: String? = nil, input: String = "", environment: [String: String] = [:],
    standardOutput: String? = nil, standardError: String? = nil
  ) throws {
    let stem = FileManager.default.temporaryDirectory.path + "/flowrun-\(UInt64.random(in: 0 ... .max))"
    outputPath = stem + ".out"
    errorPath = stem + ".err"
    let inputPath = stem + ".in"
    try input.write(toFile: inputPath, atomically: true, encoding: .utf8)
    defer { unlink(inputPath) }

    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, inputPath, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&files, 1, standardOutput ?? outputPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(&files, 2, standardError ?? errorPath, O_WRONLY | O_CREAT | O_TRUNC, 0o600)

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    var variables = ProcessInfo.processInfo.environment
    variables["NO_COLOR"] = "1"
    // The Swift runtime of a debug build handles SIGQUIT until `main` does, and then reads all debug information to write
    // a crash report, which takes up to a minute.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    for (name, value) in environment { variables[name] = value }
    // The shell changes the folder and becomes the program: the process is the same.
    let line = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder ?? ".", Self.path] + arguments
    var words: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) } + [nil]
    var entries: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + entries { free(text) } }
    var child = pid_t()
    let code = posix_spawn(&child, line[0], &files, &attributes, &words, &entries)
    guard code == 0 else { throw StartProblem(description: "\(line[0]): \(String(cString: strerror(code)))") }
    process = child
  }

  /// A process that could not be started.
  public struct StartProblem: Error, CustomStringConvertible {
    /// What the system said.
    public let description: String
  }

  /// Sends a signal.
  public func send(_ signal: Int32) { kill(process, signal) }

  /// What it has written to standard output so far.
  public var outputSoFar: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

  /// What it has written to standard error so far.
  public var errorsSoFar: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

  /// Waits until standard output holds `text`; false when the process does not write it within `limitSeconds`.
  public func waitForOutput(_ text: String, limitSeconds: Int = 30) -> Bool {
    poll(limitSeconds) { self.outputSoFar.contains(text) }
  }

  /// Waits until standard error holds `text`; false when the process does not write it within `limitSeconds`.
  public func waitForErrors(_ text: String, limitSeconds: Int = 30) -> Bool {
    poll(limitSeconds) { ((try? String(contentsOfFile: self.errorPath, encoding: .utf8)) ?? "").contains(text) }
  }

  /// Whether the process has ended; ``result(limitSeconds:)`` still says how.
  public var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_signo != 0
  }

  /// Waits for the end; kills the process after `limitSeconds`.
  public func result(limitSeconds: Int = 60) -> Result {
    var status: Int32 = 0
    let hasEnded = poll(limitSeconds) { waitpid(self.process, &status, WNOHANG) == self.process }
    if !hasEnded {
      kill(process, SIGKILL)
      waitpid(process, &status, 0)
    }
    let signal = status & 0x7F
    defer {
      unlink(outputPath)
      unlink(errorPath)
    }
    return Result(
      exitCode: signal == 0 ? (status >> 8) & 0xFF : 128 + signal, output: outputSoFar,
      errors: (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "")
  }

  private func poll(_ limitSeconds: Int, _ isDone: () -> Bool) -> Bool {
    for _ in 0..<(limitSeconds * 500) {
      if isDone() { return true }
      var pause = timespec(tv_sec: 0, tv_nsec: 2_000_000)
      nanosleep(&pause, nil)
    }
    return isDone()
  }
}
