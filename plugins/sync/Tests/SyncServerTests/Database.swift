#if Server
  import Foundation

  /// A PostgreSQL of the test's own: a socket in a folder that goes away with it.
  final class Database: Sendable {
    /// How libpq finds it.
    let information: String
    let folder: String

    struct Failure: Error {
      let output: String
    }

    init() throws {
      folder = "/tmp/sync-pg-\(UUID().uuidString.prefix(8))"
      information = "host=\(folder) dbname=postgres user=sync"
      let script = """
        set -e
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1); [ -z "$bin" ] || PATH="$bin:$PATH"
        mkdir -p '\(folder)'
        run() { "$@"; }
        if [ "$(id -u)" = 0 ]; then
          chown postgres '\(folder)'
          run() { setpriv --reuid=postgres --regid=postgres --init-groups env HOME='\(folder)' PATH="$PATH" "$@"; }
        fi
        cd '\(folder)'
        run initdb --no-sync -A trust -U sync -D '\(folder)/data' >/dev/null
        """
      let (status, output) = try Shell.run(script)
      guard status == 0 else { throw Failure(output: output) }
      try start()
    }

    /// Starts it, also after it was killed.
    func start() throws {
      let (status, output) = try Shell.run(
        """
        bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1); [ -z "$bin" ] || PATH="$bin:$PATH"
        cd '\(folder)'
        as=""; [ "$(id -u)" != 0 ] || as="setpriv --reuid=postgres --regid=postgres --init-groups env HOME=\(folder)"
        # After a kill the shared memory is in use until the last child has noticed.
        for try in $(seq 50); do
          $as pg_ctl -D '\(folder)/data' -w -l '\(folder)/log' \
            -o "-k '\(folder)' -c listen_addresses= -c max_connections=60" start && exit 0
          sleep 0.1
        done
        exit 1
        """)
      guard status == 0 else { throw Failure(output: output) }
    }

    deinit {
      _ = try? Shell.run(
        """
        kill -INT $(head -n 1 '\(folder)/data/postmaster.pid') 2>/dev/null
        for i in 1 2 3 4 5 6 7 8 9 10; do [ -e '\(folder)/data/postmaster.pid' ] || break; sleep 0.1; done
        rm -rf '\(folder)'
        """)
    }

    /// Ends every process of it at once, as a power cut would.
    func kill() throws {
      _ = try Shell.run(
        "pid=$(head -n 1 '\(folder)/data/postmaster.pid'); kill -KILL $pid $(ps -o pid= --ppid $pid)")
    }
  }

  /// Commands of the system.
  enum Shell {
    static func run(_ script: String, input: String = "") throws -> (status: Int32, output: String) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      // A server that the script leaves behind must not hold what the parent waits on: everything but the standard files
      // is closed first.
      process.arguments = ["-c", "for n in {3..63}; do eval \"exec $n>&-\"; done; " + script]
      let (standardInput, standardOutput) = (Pipe(), Pipe())
      process.standardInput = standardInput
      process.standardOutput = standardOutput
      process.standardError = standardOutput
      try process.run()
      try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
      try standardInput.fileHandleForWriting.close()
      let output = String(decoding: standardOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, output)
    }
  }

  extension Shell {
    /// The same on a thread of its own, so that a server in this process can answer meanwhile.
    static func runAside(_ script: String, input: String) async throws -> (status: Int32, output: String) {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try run(script, input: input) }) }
      }
    }
  }

  /// Requests that a well-behaved client would not send.
  enum Curl {
    static func post(_ address: String, token: String, body: String) async throws -> (status: Int, body: String) {
      let (_, output) = try await Shell.runAside(
        "curl -s -m 10 -X POST -H 'Authorization: Bearer \(token)' -H 'Expect:' --data-binary @- -w '\\n%{http_code}' \(address)",
        input: body)
      let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
      return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }
  }
#endif
