#if Network
  import Foundation
  import Synchronization

  /// `flowrun-sync-server` as a process, which ends with this.
  final class ServerProcess {
    /// Where it listens; empty when it ended before that.
    let address: String
    private let process = Process()
    private let errors = Text()

    private final class Text: Sendable {
      let all = Mutex("")
    }

    static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun-sync-server").path

    /// Serves the one zone of this machine from a database.
    convenience init(port: Int = 0, database: Database) throws {
      try self.init(
        "--postgres", database.information, "--port", "\(port)", "--open", "--requests-per-second", "100000")
    }

    /// Serves as the arguments say, with no more than so many open files.
    init(_ arguments: String..., descriptors: Int? = nil) throws {
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
      process.arguments = ["-c", "\(limit)exec \"$@\"", "bash", Self.program] + arguments
      let (output, problems) = (Pipe(), Pipe())
      process.standardOutput = output
      process.standardError = problems
      problems.fileHandleForReading.readabilityHandler = { [errors] handle in
        let data = handle.availableData
        if data.isEmpty { handle.readabilityHandler = nil }
        errors.all.withLock { $0 += String(decoding: data, as: UTF8.self) }
      }
      try process.run()
      // The line that it prints when it listens, or the end of its output when it could not.
      var line = Data()
      while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data("\n".utf8) {
        line += byte
      }
      address = String(decoding: line, as: UTF8.self).replacingOccurrences(of: "listening on ", with: "")
    }

    // What a failing test leaves running would hold the suite's output open.
    deinit { if process.isRunning { kill() } }

    /// Its port.
    var port: Int { address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// What it has told on standard error.
    var problems: String { errors.all.withLock { $0 } }

    func kill() {
      _ = try? Shell.run("kill -KILL \(process.processIdentifier)")
      process.waitUntilExit()
    }

    /// Asks it to end.
    func terminate() { _ = try? Shell.run("kill -TERM \(process.processIdentifier)") }

    /// Waits for its end, and gives its exit code.
    func ended() -> Int32 {
      process.waitUntilExit()
      return process.terminationStatus
    }

    func stop() -> Int32 {
      terminate()
      return ended()
    }

    /// Runs it with arguments with which it ends by itself.
    static func run(_ arguments: String, input: String = "") throws -> (status: Int32, output: String) {
      try Shell.run("'\(program)' \(arguments)", input: input)
    }
  }
#endif
