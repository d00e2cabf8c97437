import Foundation

/// A PostgreSQL server for one test. Its socket is in a folder that is removed together with the server.
public final class Database: Sendable {
  /// The connection string for libpq.
  public let information: String
  /// The folder with the server's data and socket.
  public let folder: String

  /// The failure of a command, with its output.
  public struct Failure: Error {
    let output: String

    /// Creates a failure with the output of a command.
    public init(output: String) { self.output = output }
  }

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../scripts/postgres").standardizedFileURL.path

  /// Starts a server in a new folder. If a test is killed, `scripts/test` finds the folder and stops the server.
  public init() throws {
    folder = Self.newFolder()
    information = Self.information(folder)
    try start()
  }

  /// Starts a standby of `other`. From then on, `other` confirms only data that the standby has received.
  public init(following other: Database) throws {
    folder = Self.newFolder()
    information = Self.information(folder)
    try run("follow", other.folder)
  }

  private static func newFolder() -> String {
    let parent = ProcessInfo.processInfo.environment["FLOWRUN_TEST_POSTGRES"] ?? "/tmp"
    return "\(parent)/sync-pg-\(UUID().uuidString.prefix(8))"
  }

  private static func information(_ folder: String) -> String { "host=\(folder)/socket dbname=postgres user=sync" }

  /// Promotes a standby, which then replaces its primary.
  public func promote() throws { try run("promote") }

  /// Starts the server again, for example after it was killed.
  public func start() throws { try run("start") }

  deinit {
    try? run("stop")
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Shuts the server down in an orderly way.
  public func stop() throws { try run("stop") }

  /// Kills all processes of the server at once, as a power failure would.
  public func kill() throws { try run("kill") }

  /// Runs SQL in one transaction and discards its output.
  public func execute(_ sql: String) throws { _ = try value(sql) }

  /// Runs SQL in one transaction and returns its output.
  public func value(_ sql: String) throws -> String {
    let (status, output) = try Shell.run("psql -qAt1 -v ON_ERROR_STOP=1 '\(information)'", input: sql)
    guard status == 0 else { throw Failure(output: output) }
    return output.trimmingCharacters(in: .newlines)
  }

  /// Sends a signal such as `STOP` or `CONT` to all processes of the server. A stopped server simulates a database that
  /// hangs.
  public func signal(_ name: String) throws {
    let text = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
    guard let leader = ListedProcess.number(text.prefix { $0 != "\n" }),
      ListedProcess.program(of: leader) == "postgres"
    else { throw Failure(output: "there is no server in '\(folder)'") }
    _ = try Shell.run("kill -\(name) \(leader) $(ps -o pid= --ppid \(leader))")
  }

  private func run(_ verb: String, _ other: String = "") throws {
    let (status, output) = try Shell.run("'\(Self.script)' \(verb) '\(folder)' \(other)")
    guard status == 0 else { throw Failure(output: output) }
  }
}

/// Runs shell scripts.
public enum Shell {
  /// Runs a script in a folder and with environment variables. Its input and output are files, because a reader of a
  /// pipe would have to wait for other processes that have inherited the pipe. The script is killed after
  /// `limitSeconds`.
  public static func run(
    _ script: String, in folder: String = ".", environment: [String: String] = ProcessInfo.processInfo.environment,
    input: String = "", limitSeconds: Int = 300
  ) throws -> (status: Int32, output: String) {
    let name = NSTemporaryDirectory() + "sync-shell-\(UUID().uuidString)"
    defer { for end in ["in", "out"] { try? FileManager.default.removeItem(atPath: "\(name).\(end)") } }
    try Data(input.utf8).write(to: URL(fileURLWithPath: "\(name).in"))
    let program = try StartedProgram(
      ["/bin/bash", "-c", script], in: folder, environment: environment, input: .file("\(name).in"),
      output: .file("\(name).out"), errors: .output)
    let status = program.exitCode(withinSeconds: limitSeconds)
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(name).out")), as: UTF8.self)
    return (status ?? -1, status == nil ? text + "\nended after \(limitSeconds) s: \(script)" : text)
  }
}
