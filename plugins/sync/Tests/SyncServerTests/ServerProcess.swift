#if Network
  import Foundation
  import Synchronization
  import TestSupport

  /// A `flowrun-sync-server` process that ends with this object. Every wait has a limit.
  final class ServerProcess {
    /// The address on which it listens, or an empty string if it ended before that.
    let address: String
    private let process: StartedProgram
    private let errors = Text()

    /// The output that a process has written to a pipe so far.
    final class Text: Sendable {
      private let text = Mutex("")

      /// Reads the pipe on a thread. A `readabilityHandler` sometimes crashes Dispatch after its descriptor was closed
      /// and reused.
      func read(_ pipe: Pipe) {
        let handle = pipe.fileHandleForReading
        Thread.detachNewThread { [self] in
          while case let data = handle.availableData, !data.isEmpty {
            text.withLock { $0 += String(decoding: data, as: UTF8.self) }
          }
        }
      }

      var all: String { text.withLock { $0 } }
    }

    static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("flowrun-sync-server").path

    /// Starts a server with one zone in a database.
    convenience init(port: Int = 0, database: Database) throws {
      try self.init(
        "--postgres", database.information, "--port", "\(port)", "--open", "--requests-per-second", "100000")
    }

    /// Starts a server with these arguments and this limit on open files.
    init(_ arguments: String..., descriptors: Int? = nil) throws {
      let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
      let (output, problems) = (Pipe(), Pipe())
      errors.read(problems)
      let lines = Text()
      lines.read(output)
      process = try StartedProgram(
        ["/bin/bash", "-c", "\(limit)exec \"$@\"", "bash", Self.program] + arguments, output: .pipe(output),
        errors: .pipe(problems))
      // The server prints this line when it listens, and ends without a line if it cannot.
      _ = within(seconds: 120) { [process] in lines.all.contains("\n") || process.hasEnded }
      let line = lines.all.prefix { $0 != "\n" }
      address = line.replacingOccurrences(of: "listening on ", with: "")
    }

    // A process that outlives a failed test would keep the output of the test run open.
    deinit { kill() }

    var port: Int { address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// The server's output on standard error so far.
    var problems: String { errors.all }

    func kill() { process.endByForce() }

    func terminate() { process.send(SIGTERM) }

    /// Waits for the end of the process. Returns its exit code, or nil if it had to be killed.
    func ended() -> Int32? { process.exitCode(withinSeconds: 120) }

    func stop() -> Int32? {
      terminate()
      return ended()
    }

    /// Runs the program until it ends on its own.
    static func run(_ arguments: String, input: String = "") throws -> (status: Int32, output: String) {
      try Shell.run("'\(program)' \(arguments)", input: input)
    }
  }
#endif
