#if Network
  import FlowBytes
  import Foundation
  import SyncCore
  import TestSupport

  /// The servers of a history, before a SQLite file or together before a database, any of which may be killed.
  final class ServedZone {
    let ports: [Int]
    private var servers: [Int32]
    private let folder: TestFolder
    private let database: Database?
    private let clock: String

    /// How often a server is started that ends before it listens: a database that comes back may not take anybody yet.
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

    /// What can be killed of it.
    enum Part { case server, database }

    /// Kills a server, or the database, and starts it again; says which, and nothing where it had ended by itself.
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

    /// The servers that have ended by themselves, with the last they said.
    var endedByThemselves: [String] {
      servers.indices.filter { !isRunning($0) }.map { "server \($0) has ended by itself: \(log($0).suffix(600))" }
    }

    /// Ends all servers.
    func kill() { for index in servers.indices { kill(index) } }

    /// Kills one as the system does when it must, and waits until it has ended; false where it had by itself.
    @discardableResult private func kill(_ index: Int) -> Bool {
      guard isRunning(index), Glibc.kill(servers[index], SIGKILL) == 0 else { return false }
      return within(seconds: 60) { !isRunning(index) }
    }

    /// Whether the process is a server, by the system's word: one that has ended and that nobody has asked about has no file.
    private func isRunning(_ index: Int) -> Bool {
      let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(servers[index])/exe")
      return file?.contains("/flowrun-sync-server") ?? false
    }

    private func start(_ index: Int) throws {
      let store = database.map { "--postgres '\($0.information)'" } ?? "--store '\(folder.file("served.sqlite"))'"
      // What this process has open the server must not hold: by the end of a socket `Process` notices that a program has ended, and a server that has inherited it lives on.
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
          // Its own word, not that somebody listens there: the one before it may not be quite gone.
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

    /// How often a server has said that it listens.
    private func listened(_ index: Int) -> Int { log(index).components(separatedBy: "listening on").count - 1 }
  }
#endif
