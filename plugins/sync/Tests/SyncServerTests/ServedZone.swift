#if Network
  import FlowBytes
  import Foundation
  import SyncCore
  import TestSupport

  /// The servers of a history. They use a SQLite file, or share a database. Each server and the database can be killed.
  final class ServedZone {
    let ports: [Int]
    private var servers: [Int32]
    private let folder: TestFolder
    private let database: Database?
    private let clock: String

    /// The maximum number of attempts to start a server. A database that was just started may still refuse connections.
    private let attempts: Int

    init(
      folder: TestFolder, servers count: Int, database: Database?, clock: String, ports: [Int]? = nil,
      attempts: Int = 50
    ) throws {
      (self.folder, self.database, self.clock, self.attempts) = (folder, database, clock, attempts)
      self.ports = try ports ?? (0..<count).map { _ in try ServerPort.take() }
      servers = Array(repeating: 0, count: count)
      for index in servers.indices { try start(index) }
    }

    /// A part of the zone that can be killed.
    enum Part { case server, database }

    /// Kills a server or the database and starts it again. Returns the killed part, or nil if the server had already
    /// ended.
    func `break`(using random: inout SplitMix64) throws -> Part? {
      if let database, random.next() % 2 == 0 {
        try database.kill()
        try database.start()
        return .database
      }
      let index = Int(random.next() % UInt64(servers.count))
      let isKilled = kill(index)
      try start(index)
      return isKilled ? .server : nil
    }

    /// The servers that have ended unexpectedly, with the end of their output.
    var endedByThemselves: [String] {
      servers.indices.filter { !isRunning($0) }.map { "server \($0) has ended by itself: \(log($0).suffix(600))" }
    }

    func kill() { for index in servers.indices { kill(index) } }

    /// Kills a server and waits until it has ended. Returns false if it had already ended.
    @discardableResult private func kill(_ index: Int) -> Bool {
      guard isRunning(index), Glibc.kill(servers[index], SIGKILL) == 0 else { return false }
      return within(seconds: 60) { !isRunning(index) }
    }

    /// True if the process is a server. A process that has ended but was not waited for has no executable.
    private func isRunning(_ index: Int) -> Bool {
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(servers[index])/exe")
      return file?.contains("/flowrun-sync-server") ?? false
    }

    private func start(_ index: Int) throws {
      let store = database.map { "--postgres '\($0.information)'" } ?? "--store '\(folder.file("served.sqlite"))'"
      // The server must not inherit the descriptors of this process. `Process` detects the end of a program by a socket
      // that closes, and an inherited descriptor keeps that socket open.
      let before = listened(index)
      for _ in 0..<attempts {
        let (_, output) = try Shell.run(
          """
          (for number in /dev/fd/*; do
            number=${number##*/}
            [ "$number" -le 2 ] || [ "$number" -ge 255 ] || eval "exec $number>&-"
          done
          FLOWRUN_SYNC_CLOCK=\(clock) exec setsid '\(ServerProcess.program)' \(store) --port \(ports[index]) --open \
            --requests-per-second 100000) </dev/null >>'\(folder.file("server\(index).log"))' 2>&1 & echo $!
          """)
        servers[index] = Int32(output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        for _ in 0..<200 where Glibc.kill(servers[index], 0) == 0 {
          // Waits for the server's own output. A connection could still reach the server that was killed.
          if listened(index) > before { return }
          Thread.sleep(forTimeInterval: 0.05)
        }
        kill(index)
      }
      throw Database.Failure(output: "the server does not start: \(log(index).suffix(600))")
    }

    private func log(_ index: Int) -> String {
      let data = try? Data(contentsOf: URL(fileURLWithPath: folder.file("server\(index).log")))
      return String(decoding: data ?? Data(), as: UTF8.self)
    }

    /// Returns the number of times that a server has reported that it is listening.
    private func listened(_ index: Int) -> Int { log(index).components(separatedBy: "listening on").count - 1 }
  }
#endif
