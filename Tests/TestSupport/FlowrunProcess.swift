import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A process that runs the real `flowrun` binary, with its own standard streams, signals and exit code.
///
/// SIGINT and SIGTERM have the same effect as from a terminal.
public final class FlowrunProcess {
  /// The result of a process that has ended.
  public struct Result: Sendable {
    /// The exit code, or 128 plus the signal's number if a signal ended the process.
    public var exitCode: Int32
    /// The text that the process wrote to standard output.
    public var output: String
    /// The text that the process wrote to standard error.
    public var errors: String
    /// The lines of standard output, without empty lines.
    public var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  private let program: StartedProgram
  private let outputPath: String
  private let errorPath: String

  /// The path of the binary: the one in `FLOWRUN_TEST_BINARY`, or the one built with the tests.
  public static var path: String {
    if let path = ProcessInfo.processInfo.environment["FLOWRUN_TEST_BINARY"] { return path }
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("flowrun")
      .path
  }

  /// Runs `flowrun` until it ends. After `limitSeconds`, kills it.
  public static func run(
    _ arguments: [String], in folder: String? = nil, input: String = "", environment: [String: String] = [:],
    standardOutput: String? = nil, limitSeconds: Int = 60
  ) throws -> Result {
    try FlowrunProcess(
      arguments, in: folder, input: input, environment: environment, standardOutput: standardOutput
    ).result(limitSeconds: limitSeconds)
  }

  /// Starts `flowrun`. `environment` is added to the variables of this process. `standardOutput` and `standardError`
  /// are paths of devices, whose output is not read.
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
    // In a debug build, the Swift runtime handles SIGQUIT until `main` does. It then reads all debug information for a
    // crash report, which takes up to a minute.
    variables["SWIFT_BACKTRACE"] = "enable=no"
    for (name, value) in environment { variables[name] = value }
    program = try StartedProgram(
      [Self.path] + arguments, in: folder ?? ".", environment: variables, input: .file(inputPath),
      output: .file(standardOutput ?? outputPath), errors: .file(standardError ?? errorPath))
  }

  /// Sends a signal to the process.
  public func send(_ signal: Int32) { program.send(signal) }

  /// The text written to standard output so far.
  public var outputSoFar: String { (try? String(contentsOfFile: outputPath, encoding: .utf8)) ?? "" }

  /// The text written to standard error so far.
  public var errorsSoFar: String { (try? String(contentsOfFile: errorPath, encoding: .utf8)) ?? "" }

  /// Waits until standard output contains `text`. Returns false if that takes longer than `limitSeconds`.
  public func waitForOutput(_ text: String, limitSeconds: Int = 30) -> Bool {
    within(seconds: limitSeconds) { outputSoFar.contains(text) }
  }

  /// Waits until standard error contains `text`. Returns false if that takes longer than `limitSeconds`.
  public func waitForErrors(_ text: String, limitSeconds: Int = 30) -> Bool {
    within(seconds: limitSeconds) { errorsSoFar.contains(text) }
  }

  /// True if the process has ended. ``result(limitSeconds:)`` can still be called.
  public var hasEnded: Bool { program.hasEnded }

  /// Waits until the process ends. After `limitSeconds`, kills it.
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
