#if Network
  import Foundation
  import Synchronization
  import TestSupport

  /// `flowrun-sync-server` as a process, which ends with this. Nothing here waits without an end.
  final class ServerProcess {
    /// Where it listens; empty when it ended before that.
    let address: String
    private let process: StartedProgram
    private let errors = Text()

    /// What a process has written to a pipe so far.
    final class Text: Sendable {
      private let text = Mutex("")

      /// Takes in whatever comes, on a thread: a handler of the pipe crashes Dispatch now and then, once its descriptor has been
      /// closed and names something else.
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

    /// Serves the one zone of this machine from a database.
    convenience init(port: Int = 0, database: Database) throws {
      try self.init(
        "--postgres", database.information, "--port", "\(port)", "--open", "--requests-per-second", "100000")
    }

    /// Serves as the arguments say, with no more than so many open files.
    init(_ arguments: String..., descriptors: Int? = nil) throws {
      let limit = descriptors.map { "ulimit -n \($0); " } ?? ""
      let (output, problems) = (Pipe(), Pipe())
      errors.read(problems)
      let lines = Text()
      lines.read(output)
      process = try StartedProgram(
        ["/bin/bash", "-c", "\(limit)exec \"$@\"", "bash", Self.program] + arguments, output: .pipe(output),
        errors: .pipe(problems))
      // The line that it prints when it listens; it ends without one when it could not.
      _ = within(seconds: 120) { [process] in lines.all.contains("\n") || process.hasEnded }
      let line = lines.all.prefix { $0 != "\n" }
      address = line.replacingOccurrences(of: "listening on ", with: "")
    }

    // What a failing test leaves running would hold the suite's output open.
    deinit { kill() }

    /// Its port.
    var port: Int { address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }

    /// What it has told on standard error.
    var problems: String { errors.all }

    func kill() { process.endByForce() }

    /// Asks it to end.
    func terminate() { process.send(SIGTERM) }

    /// Waits for its end, and gives its exit code; nil when it had to be ended by force.
    func ended() -> Int32? { process.exitCode(withinSeconds: 120) }

    func stop() -> Int32? {
      terminate()
      return ended()
    }

    /// Runs it with arguments with which it ends by itself.
    static func run(_ arguments: String, input: String = "") throws -> (status: Int32, output: String) {
      try Shell.run("'\(program)' \(arguments)", input: input)
    }
  }
#endif
