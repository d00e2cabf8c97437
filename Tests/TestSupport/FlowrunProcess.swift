import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process of the real `flowrun` binary, with its own standard files, signals and exit code.
///
/// SIGINT and SIGTERM have the same effect as in a terminal.
public final class FlowrunProcess {
  /// The result of a call.
  public struct Result: Sendable {
    /// The exit code, or 128 plus the signal's number if a signal ended the process.
    public var exitCode: Int32
    /// Standard output.
    public var output: String
    /// Standard error.
    public var errors: String
    /// The lines of standard output.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let program: StartedProgram
  private let outputPath: String
  private let errorPath: String

  /// The binary built with the tests, or the one in `FLOWRUN_TEST_BINARY`.
  public static var path: String {
    if let path = ProcessInfo.processInfo.environment["FLOWRUN_TEST_BINARY"] { return path }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("flowrun")
      .path
  }

  /// Runs `flowrun` to its end, or ends it after `limitSeconds`.
  public static func run(
    _ arguments: [String], in folder: String? = nil, input: String = "", environment: [String: String] = [:],
    standardOutput: String? = nil, limitSeconds: Int = 60
  ) throws -> Result {
    try FlowrunProcess(
      arguments, in: folder, input: input, environment: environment, standardOutput: standardOutput
    ).result(limitSeconds: limitSeconds)
  }

  /// Starts `flowrun`. `environment` is added to this process's variables. `standardOutput` and `standardError` are
  /// devices for output that is not read.
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

    var variables = ProcessInfo.processInfo.environment
    variables["NO_COLOR"] = "1"
    // The Swift runtime of a debug build handles SIGQUIT until `main` does, and then reads all debug information to write
    // a crash report, which takes up to a minute.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    for (name, value) in environment { variables[name] = value }
    program = try StartedProgram(
      [Self.path] + arguments, in: folder ?? ".", environment: variables, input: .file(inputPath),
      output: .file(standardOutput ?? outputPath), errors: .file(standardError ?? errorPath))
  }

  /// Sends a signal.
  public func send(_ signal: Int32) { program.send(signal) }

  /// The standard output so far.
  public var outputSoFar: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

  /// The standard error so far.
  public var errorsSoFar: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

  /// Waits until standard output contains `text`. Returns false if it does not within `limitSeconds`.
  public func waitForOutput(_ text: String, limitSeconds: Int = 30) -> Bool {
    within(seconds: limitSeconds) { outputSoFar.contains(text) }
  }

  /// Waits until standard error contains `text`. Returns false if it does not within `limitSeconds`.
  public func waitForErrors(_ text: String, limitSeconds: Int = 30) -> Bool {
    within(seconds: limitSeconds) { errorsSoFar.contains(text) }
  }

  /// True if the process has ended. ``result(limitSeconds:)`` still returns its result.
  public var hasEnded: Bool { program.hasEnded }

  /// Waits for the end of the process, or kills it after `limitSeconds`.
  public func result(limitSeconds: Int = 60) -> Result {
    let code = program.exitCode(withinSeconds: limitSeconds) ?? 128 + SIGKILL
    defer {
      unlink(outputPath)
      unlink(errorPath)
    }
    return Result(
      exitCode: code, output: outputSoFar, errors: (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "")
  }
}
