#if Network
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncTestKit

  /// A history of records with real processes: a `flowrun` for each act, behind a network with every fault, before a server
  /// that is killed, and a database that is.
  ///
  /// Nothing here waits without an end: every program runs under a limit, and what it writes goes to files, since a pipe's end
  /// that another history's process has inherited would keep its reader waiting.
  final class RecordHistory {
    private let seed: UInt64
    private var random: SplitMix64
    private let folder: TestFolder
    private let database: Database?
    private let port: Int
    private var server: Int32 = 0
    private var proxies: [FaultProxy] = []
    /// Likes of `kept` that were saved for certain, and those that may have been.
    private var (saved, perhaps) = (0, 0)
    /// What is not as it must be, in words.
    private(set) var problems: [String] = []

    private static let programs = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    private static let keys = ["kept", "a", "b"]

    init(seed: UInt64) throws {
      self.seed = seed
      random = SplitMix64(seed: seed)
      folder = try TestFolder()
      database = seed % 3 == 0 ? try Database() : nil
      let (probe, port) = try LocalSocket.listen()
      LocalSocket.close(probe)
      self.port = port
      try startServer()
      for _ in 0..<(2 + Int(random.next() % 2)) { proxies.append(try FaultProxy(server: port, seed: random.next())) }
      try writeWorkflows()
    }

    private func writeWorkflows() throws {
      let rule = seed % 2 == 0 ? "edit-wins" : "delete-wins"
      _ = try folder.write(
        """
        schema: notes
        version: 1
        collections:
          notes:
            fields:
              likes: { type: integer, merge: counter }
            delete: \(rule)
        """, to: "notes.sync.yaml")
      for act in ["put", "delete", "query"] { _ = try folder.write(workflow(act), to: "\(act).yaml") }
    }

    /// A device that does one thing: what it puts or deletes is sent after it has been saved, what it shows comes after.
    private func workflow(_ act: String) -> String {
      let record = "collection: notes, key: \"${{ inputs.key }}\", wait: false"
      let (inputs, isQuery) =
        switch act {
        case "put": ("\(record), fields: { likes: { add: 1 } }", false)
        case "delete": (record, false)
        default: ("sql: 'SELECT _key, likes FROM notes ORDER BY _key', timeout: 20s", true)
        }
      return """
        name: \(act)
        inputs: { device: { type: string }, server: { type: string }, key: { type: string } }
        steps:
          connect:
            uses: sync.connect
            with:
              { device: "${{ inputs.device }}", server: "${{ inputs.server }}", schema: notes.sync.yaml, wait: 1s }
          flush:
            uses: sync.flush
            needs: \(isQuery ? "connect" : "act")
            optional: \(!isQuery)
            with: { timeout: \(isQuery ? 20 : 2)s }
          act: { uses: sync.\(act), needs: \(isQuery ? "flush" : "connect"), with: { \(inputs) } }
          rest: { run: sleep 0.3, needs: [act, flush] }
          parked: { uses: sync.parked, needs: rest }
        outputs:
          parked: ${{ steps.parked.outputs.count }}
          \(isQuery ? "rows: ${{ steps.act.outputs.rows }}" : "")

        """
    }

    /// Has a device do one thing, under a limit of so many seconds.
    private func run(
      _ verb: String, _ device: Int, key: String = "kept", killedAfter seconds: Double? = nil
    ) throws -> (status: Int32, output: String) {
      let limit = seconds.map { "timeout -s KILL \($0)" } ?? "timeout -s KILL 60"
      return try Shell.run(
        """
        \(limit) '\(Self.programs)/flowrun' '\(folder.file("\(verb).yaml"))' -i device=d\(device) \
        -i server=http://127.0.0.1:\(proxies[device].port) -i key=\(key) --data '\(folder.path)' --no-history
        """)
    }

    private func startServer() throws {
      let store = database.map { "--postgres '\($0.information)'" } ?? "--store '\(folder.file("zone.sqlite"))'"
      // A database that is just coming back may not take anybody yet. What this process has open the server must not hold:
      // by the end of a socket `Process` notices that a program has ended, and a server that has inherited it lives on.
      for _ in 0..<50 {
        let (_, output) = try Shell.run(
          """
          (for number in /dev/fd/*; do
            number=${number##*/}
            [ "$number" -le 2 ] || [ "$number" -ge 255 ] || eval "exec $number>&-"
          done
          exec setsid '\(Self.programs)/flowrun-sync-server' \(store) --port \(port) --open \
            --requests-per-second 100000) </dev/null >>'\(folder.file("server.log"))' 2>&1 & echo $!
          """)
        server = Int32(output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        for _ in 0..<200 where kill(server, 0) == 0 {
          if LocalSocket(port: port) != nil { return }
          Thread.sleep(forTimeInterval: 0.05)
        }
        killServer()
      }
      throw Database.Failure(output: "the server does not start: see \(folder.file("server.log"))")
    }

    private func killServer() { if server > 0 { kill(server, SIGKILL) } }

    /// Plays the history and judges it.
    func play() throws {
      defer {
        for proxy in proxies { proxy.stop() }
        killServer()
      }
      for _ in 0..<Int.random(in: 6...12, using: &random) { try act() }
      for proxy in proxies { proxy.heal() }
      var shown: [String] = []
      // All that waits is sent, then fetched by all, then said to be seen by all.
      for _ in 0..<3 { shown = try proxies.indices.map(look) }
      if Set(shown).count != 1 { problems.append("the devices show \(shown)") }
      judge(shown[0])
    }

    private func act() throws {
      let device = Int.random(in: 0..<proxies.count, using: &random)
      let key = Self.keys.randomElement(using: &random) ?? "kept"
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        killServer()
        try startServer()
      case 1:
        guard let database else { return }
        try database.kill()
        try database.start()
      case 2...4 where key != "kept": _ = try run("delete", device, key: key)
      case 5:
        _ = try run("put", device, killedAfter: Double.random(in: 0.05...0.6, using: &random))
        perhaps += 1
      default:
        let (status, _) = try run("put", device, key: key)
        if key == "kept" { if status == 0 { saved += 1 } else { perhaps += 1 } }
      }
    }

    private func look(_ device: Int) throws -> String {
      let (status, output) = try run("query", device)
      if status != 0 { problems.append("d\(device) does not settle: \(output.suffix(600))") }
      let lines = output.split(separator: "\n")
      if !lines.contains("parked: 0") { problems.append("d\(device) has set something aside: \(output.suffix(300))") }
      return lines.last { $0.hasPrefix("rows: ") }.map(String.init) ?? "nothing"
    }

    private func judge(_ rows: String) {
      let text = rows.replacingOccurrences(of: " ", with: "")
      let kept = text.range(of: "\"_key\":\"kept\",\"likes\":").map { text[$0.upperBound...].prefix(while: \.isNumber) }
      let likes = kept.flatMap { Int($0) } ?? 0
      if !(saved...(saved + perhaps)).contains(likes) {
        problems.append("'kept' is liked \(likes) times, must be \(saved) to \(saved + perhaps)")
      }
    }
  }
#endif
