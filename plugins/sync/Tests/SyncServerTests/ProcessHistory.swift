#if Network
  import FlowBytes
  import Foundation
  import SyncCore
  import SyncEngine
  import SyncHTTP
  import SyncPomodoro
  import SyncSQLite
  import SyncSimulation
  import SyncWire
  import Synchronization
  import TestSupport

  /// A history with real processes. Each device is a `flowrun` process behind a proxy with faults, and the server is
  /// killed and restarted. At the end, the results are compared with an oracle that uses only the requests that reached
  /// the server. Every wait has a limit.
  final class ProcessHistory {
    /// The speed of the clocks compared with real time. It shortens the window of 5 s accordingly.
    private var scale: Int { database == nil ? 4 : 1 }

    /// The numbers of processes killed in all histories.
    struct Kills {
      var devices = 0
      var servers = 0
      var databases = 0
    }

    static let kills = Mutex(Kills())

    private let seed: UInt64
    private var random: SplitMix64
    private let folder: String
    private let serverPort: Int
    /// The database of every third history. Its clock runs at the normal speed.
    private let database: Database?
    private var server: StartedProgram?
    private var devices: [DeviceProcess] = []
    private let exchanges = Exchanges()
    private let origin: Int64
    private var values = 0
    /// The deviations from the expected results, as text.
    private(set) var problems: [String] = []

    init(seed: UInt64) throws {
      self.seed = seed
      random = SplitMix64(seed: seed)
      folder = NSTemporaryDirectory() + "sync-history-\(seed)-\(UInt32.random(in: 0 ... .max))"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      serverPort = try ServerPort.take()
      origin = Int64(Date().timeIntervalSince1970 * 1000)
      database = seed % 3 == 0 ? try Database() : nil
      try startServer()
      for index in 0..<Int.random(in: 2...3, using: &random) {
        let exchanges = exchanges
        let proxy = try FaultProxy(server: serverPort, seed: random.next()) { exchanges.add($0) }
        let skew = Int64.random(in: -3000...3000, using: &random)
        devices.append(
          try DeviceProcess(name: "d\(index)", folder: folder, proxy: proxy, clock: clock(skewMilliseconds: skew)))
      }
    }

    private func clock(skewMilliseconds: Int64) -> String { "\(origin),\(scale),\(skewMilliseconds)" }

    private func startServer() throws {
      let store = database.map { ["--postgres", $0.information] } ?? ["--store", "\(folder)/zone.sqlite"]
      let output = Pipe()
      let lines = ServerProcess.Text()
      lines.read(output)
      server = try StartedProgram(
        [ServerProcess.program] + store
          + ["--port", "\(serverPort)", "--open", "--requests-per-second", "100000"],
        environment: ProcessInfo.processInfo.environment.merging(
          ["FLOWRUN_SYNC_CLOCK": clock(skewMilliseconds: 0)]) { $1 },
        output: .pipe(output))
      if !within(seconds: 120, { lines.all.contains("\n") }) { problems.append("the server does not start") }
    }

    /// Kills the server. Returns false if it had already ended.
    @discardableResult private func killServer() -> Bool {
      guard let server, !server.hasEnded else { return false }
      server.endByForce()
      return true
    }

    /// Runs the history and checks the results.
    func play() throws {
      defer { clean() }
      for _ in 0..<Int.random(in: 8...16, using: &random) {
        try act(devices[Int.random(in: 0..<devices.count, using: &random)])
        Thread.sleep(forTimeInterval: Double.random(in: 0...(Bool.random(using: &random) ? 0.1 : 1.2), using: &random))
      }
      for device in devices {
        device.proxy.heal()
        try device.startIfEnded()
        device.type("offline")
        device.type("online")
      }
      guard settle() else {
        problems.append("no rest after 60 s: \(devices.map(\.tail).joined(separator: " | "))")
        return
      }
      for device in devices where device.end() != 0 { problems.append("\(device.name) ended with an error") }
      problems += devices.flatMap(\.problems)
      judge()
    }

    private func act(_ device: DeviceProcess) throws {
      switch Int.random(in: 0..<20, using: &random) {
      case 0:
        if device.kill() { Self.kills.withLock { $0.devices += 1 } }
        try device.startIfEnded()
      case 1:
        if let database, Bool.random(using: &random) {
          try database.kill()
          Self.kills.withLock { $0.databases += 1 }
          try database.start()
          return
        }
        if killServer() { Self.kills.withLock { $0.servers += 1 } }
        try startServer()
      case 2: device.type("offline")
      case 3, 4: device.type("online")
      case 5, 6: device.act("done", shows: "completed (here)")
      case 7: device.act("reset", shows: "0 completed (here)")
      case 8...12:
        values += 1
        let name = ["theme", "sound", "size"].randomElement(using: &random) ?? "theme"
        device.act("set \(name) v\(values)", shows: "\(name) = v\(values)", field: (name, "v\(values)"))
      case 13...16:
        values += 1
        let seconds = 600 + values
        let word = Bool.random(using: &random) ? "focus" : "break"
        device.act("\(word) \(seconds)s", shows: "(here)", seconds: seconds)
      default: device.act(Bool.random(using: &random) ? "idle" : "snooze", shows: "(here)")
      }
    }

    /// The requests that reached the server, in the order of their responses.
    private final class Exchanges: Sendable {
      private let list = Mutex<[FaultProxy.Exchange]>([])
      func add(_ exchange: FaultProxy.Exchange) { list.withLock { $0.append(exchange) } }
      var all: [FaultProxy.Exchange] { list.withLock { $0 } }
    }

    // MARK: Settling

    private func settle() -> Bool {
      within(seconds: 60) {
        if isAtRest() { return true }
        Thread.sleep(forTimeInterval: 0.1)
        return false
      }
    }

    private func isAtRest() -> Bool {
      guard devices.allSatisfy(\.proxy.isAtRest), let zone = zone() else { return false }
      return devices.allSatisfy { device in
        guard let replica = device.replica() else { return false }
        return replica.outbox.isEmpty && Self.cells(replica.confirmed.values) == zone
      }
    }

    private static func cells(_ records: some Sequence<SyncRecord>) -> [RecordKey: [UInt8]] {
      Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0.cell.packed()) })
    }

    private func zone() -> [RecordKey: [UInt8]]? {
      let port = serverPort
      let page = Self.waited { () async -> ChangePage? in
        guard let client = try? HTTPBackend(address: "http://127.0.0.1:\(port)", token: "") else { return nil }
        defer { client.close() }
        return try? await client.changes(zone: Pomodoro.zone, since: nil, limit: 200, maximumBytes: 1 << 20)
      }
      return page.map { page in
        Self.cells(page.records)
      }
    }

    /// Blocks until the body has returned, which is safe because each history has its own thread. Returns nil after a
    /// minute.
    static func waited<Value: Sendable>(_ body: @escaping @Sendable () async -> Value?) -> Value? {
      let (shared, done) = (Shared<Value>(), DispatchSemaphore(value: 0))
      Task {
        let value = await body()
        shared.value.withLock { $0 = value }
        done.signal()
      }
      return done.wait(timeout: .now() + 60) == .success ? shared.value.withLock { $0 } : nil
    }

    private final class Shared<Value: Sendable>: Sendable {
      let value = Mutex<Value?>(nil)
    }

    // MARK: Judgment

    private func judge() {
      guard let replica = devices[0].replica() else { return }
      let taken = Self.taken(exchanges.all, confirmed: replica.confirmed)
      if let cell = replica.confirmed[Pomodoro.timer]?.cell {
        let winner = cell.reading(by: Pomodoro.decide)?.winner.dot
        let expected = Self.winner(of: taken)
        if winner != expected {
          problems.append("the state of \(String(describing: winner)) counts, must be \(String(describing: expected))")
        }
        let counts = taken.flatMap { $0.write.record?.changes ?? [] }.compactMap { change in
          if case .largest(let value) = change.kind { value } else { nil }
        }
        let largest = counts.max { $0.lexicographicallyPrecedes($1) }
        if cell.content.part("completed")?.state != largest.map({ .largest($0) }) {
          problems.append("another count than the largest of the last day")
        }
      }
      if let cell = replica.confirmed[Pomodoro.settings]?.cell {
        var newest: [String: (stamp: Stamp, value: [UInt8])] = [:]
        for (key, write) in taken where key == Pomodoro.settings {
          for change in write.fields where newest[change.name].map({ $0.stamp < write.stamp }) ?? true {
            newest[change.name] = (write.stamp, change.value)
          }
        }
        let fields = Dictionary(uniqueKeysWithValues: cell.fields.map { ($0.name, $0.value) })
        if fields != newest.mapValues(\.value) { problems.append("other settings than the newest") }
      }
      for device in devices { judge(device, taken.map(\.write)) }
    }

    private func judge(_ device: DeviceProcess, _ writes: [Write]) {
      guard let replica = device.replica() else { return }
      if !replica.outbox.isEmpty { problems.append("\(device.name) still has something to send") }
      if device.proxy.requests > replica.statistics.requests {
        problems.append(
          "\(device.name): \(device.proxy.requests) requests on the wire, \(replica.statistics.requests) counted")
      }
      // On the device's clock, a history takes less than an hour. The budget itself records at most 100 requests.
      let allowed = 100 + replica.budget.firstFetch.requests
      if device.proxy.requests > allowed {
        problems.append("\(device.name) is over its budget: \(device.proxy.requests) requests of at most \(allowed)")
      }
      for (name, value) in device.lastFields
      where !writes.contains(where: { $0.fields.contains { $0.name == name && $0.value == Scalar.text(value).bytes } })
      {
        problems.append("\(device.name): '\(name) = \(value)' was shown and never reached the server")
      }
      if let seconds = device.lastSeconds,
        !writes.contains(where: { write in
          write.payload.flatMap { TimerState(payload: $0) }?.remainingMilliseconds == Int64(seconds) * 1000
        })
      {
        problems.append("\(device.name): the timer of \(seconds) s was shown and never reached the server")
      }
    }

    /// Returns the writes that the server accepted, with their stamps. If the server saved a write but was killed
    /// before it responded, only a repetition of the write shows that. Its stamp is then read from the record, if the
    /// write is still effective.
    private static func taken(
      _ exchanges: [FaultProxy.Exchange], confirmed: ShardedTable<RecordKey, SyncRecord>
    ) -> [(key: RecordKey, write: Write)] {
      let results = exchanges.flatMap(results)
      var taken: [(key: RecordKey, write: Write)] = []
      var dots: [RecordKey: Set<Dot>] = [:]
      for case (let key, let write, .committed(_, _, let stamp)) in results {
        taken.append((key, write.restamped(stamp ?? write.stamp)))
        dots[key, default: []].insert(write.dot)
      }
      for (key, write, result) in results {
        guard let cell = cell(that: result, holds: write, confirmed[key]?.cell),
          dots[key, default: []].insert(write.dot).inserted
        else { continue }
        taken.append((key, write.restamped(stamp(of: write, in: cell))))
      }
      return taken
    }

    /// Returns the record that already contained a write, according to the response to a repetition of the write.
    private static func cell(that result: CommitResult, holds write: Write, _ confirmed: Cell?) -> Cell? {
      switch result {
      case .unchanged: confirmed
      case .conflict(let record?) where record.cell.context[write.dot.device] >= write.dot.number: record.cell
      default: nil
      }
    }

    private static func results(
      _ exchange: FaultProxy.Exchange
    ) -> [(key: RecordKey, write: Write, result: CommitResult)] {
      guard exchange.target.hasSuffix("/commit"), let operations = try? Wire.commit(exchange.body).operations,
        let reply = try? Wire.commitReply(exchange.answer)
      else { return [] }
      return zip(operations, reply.results).compactMap { operation, result in
        guard case .write(let write) = operation.change else { return nil }
        return (operation.key, write, result)
      }
    }

    private static func stamp(of write: Write, in cell: Cell) -> Stamp {
      let field = cell.fields.first { field in
        field.stamp.device == write.dot.device
          && write.fields.contains { $0.name == field.name && $0.value == field.value }
      }
      return cell.entries.first { $0.dot == write.dot }?.stamp ?? field?.stamp ?? write.stamp
    }

    /// Returns the number of the write whose state should win.
    private static func winner(of taken: [(key: RecordKey, write: Write)]) -> Dot? {
      let names = Array(Set(taken.map(\.write.dot.device.name))).sorted()
      let states = taken.compactMap { key, write -> Oracle.State? in
        guard key == Pomodoro.timer, let state = write.payload.flatMap({ RecordState(payload: $0) }) else { return nil }
        return Oracle.State(
          device: names.firstIndex(of: write.dot.device.name) ?? 0, name: write.dot.device.name,
          number: write.dot.number, milliseconds: write.milliseconds, counter: write.counter, state: state,
          past: names.map { DeviceID($0).map { write.context[$0] } ?? 0 })
      }
      return Oracle.winner(of: states, by: Pomodoro.decide).flatMap { best in
        DeviceID(best.name).map { Dot(device: $0, number: best.number) }
      }
    }

    private func clean() {
      for device in devices { device.stop() }
      killServer()
      if problems.isEmpty { try? FileManager.default.removeItem(atPath: folder) }
    }
  }
#endif
