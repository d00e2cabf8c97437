import Foundation
import SyncCore
import SyncEngine
import SyncHTTP
import SyncPomodoro
import SyncPostgres
import SyncServer
import SyncSimulation
import SyncStorage

/// What synchronising costs and how fast it is, on loopback; one JSON object a row.
///
/// `SyncBenchmarks [CONNINFO]`: with libpq's connection information also the rows that need PostgreSQL.
@main struct SyncBenchmarks {
  static func main() async throws {
    merging()
    histories()
    try await sharedFile()
    guard let information = CommandLine.arguments.dropFirst().first else { return }
    try await bareNotify(information)
    try await server(information)
    try await commits(information)
    try await catchUp(information)
  }

  static func row(_ name: String, _ values: [(String, Double)], bar: String) {
    let figures = values.map { "\"\($0.0)\": \(($0.1 * 1000).rounded() / 1000)" }.joined(separator: ", ")
    print("{\"row\": \"\(name)\", \(figures), \"bar\": \"\(bar)\"}")
    fflush(nil)
  }

  static func percentiles(_ name: String, _ milliseconds: [Double], bar: String) {
    let sorted = milliseconds.sorted()
    let rank = { (share: Double) in sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))] }
    row(
      name,
      [
        ("count", Double(sorted.count)), ("p50Milliseconds", rank(0.5)), ("p90Milliseconds", rank(0.9)),
        ("p99Milliseconds", rank(0.99)), ("maxMilliseconds", sorted[sorted.count - 1]),
      ], bar: bar)
  }

  static func milliseconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) * 1000 + Double(duration.components.attoseconds) / 1e15
  }

  // MARK: Values

  static func merging() {
    let policy = PomodoroPolicy()
    var (left, right) = (Cell(), Cell())
    for index in 0..<3 {
      let write = Write(
        dot: Dot(device: DeviceID(stem: "MacBook-Pro", random: UInt32(index)), number: 7),
        milliseconds: 1_704_628_800_000 + Int64(index),
        payload: TimerState(kind: .focus, remainingMilliseconds: 1_500_000 + Int64(index)).payload)
      if index < 2 { left.apply(write, windowMilliseconds: policy.windowMilliseconds) }
      if index > 0 { right.apply(write, windowMilliseconds: policy.windowMilliseconds) }
    }
    var entries = 0
    let rounds = 200_000
    let began = ContinuousClock.now
    for _ in 0..<rounds { entries += Cell.join(left, right, windowMilliseconds: 5000).entries.count }
    let joined = milliseconds(began.duration(to: .now)) * 1e6 / Double(rounds)
    precondition(entries == 3 * rounds)
    let read = ContinuousClock.now
    let both = Cell.join(left, right, windowMilliseconds: 5000)
    for _ in 0..<rounds { entries += both.reading(by: policy)?.contenders ?? 0 }
    let reading = milliseconds(read.duration(to: .now)) * 1e6 / Double(rounds)
    row(
      "merge of two cells of two devices", [("nanoseconds", joined), ("readingNanoseconds", reading)], bar: "<= 2000")
  }

  static func histories() {
    let began = ContinuousClock.now
    var bad = 0
    for seed in 1...UInt64(10_000) where !Simulation.run(.concurrentHistory(seed: seed)).isGood { bad += 1 }
    row(
      "10,000 simulated histories", [("seconds", milliseconds(began.duration(to: .now)) / 1000), ("bad", Double(bad))],
      bar: "<= 30 s, 0 bad")
  }

  // MARK: From an action to another device

  static func session(
    _ device: String, _ backend: any SyncBackend, _ onChange: @escaping @Sendable () -> Void = {}
  ) async throws -> SyncSession {
    var limits = RequestBudget.Limits()
    limits.requestsPerHour = 1_000_000
    limits.bytesPerDay = 1 << 40
    let file = NSTemporaryDirectory() + "sync-bench-\(UUID().uuidString).sqlite"
    let session = try await SyncSession.open(
      device: device, zone: PomodoroPolicy.zone, backend: backend, store: try SQLiteReplicaStore(path: file),
      policy: PomodoroPolicy(), limits: limits
    ) { notice, _ in
      if case .changed(PomodoroPolicy.timer, remote: true, rule: _) = notice { onChange() }
    }
    await session.start()
    return session
  }

  static func latencies(_ one: any SyncBackend, _ other: any SyncBackend, count: Int) async throws -> [Double] {
    let (stream, continuation) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
    let phone = try await session("phone", other) { continuation.yield(.now) }
    let mac = try await session("mac", one)
    _ = await phone.wait(milliseconds: 5000) { $0.completedPulls > 0 }
    try await Task.sleep(for: .milliseconds(500))
    var arrivals = stream.makeAsyncIterator()
    var latencies: [Double] = []
    for number in 1...count {
      let began = ContinuousClock.now
      try await mac.act(
        PomodoroPolicy.timer,
        .init(payload: TimerState(kind: .focus, remainingMilliseconds: Int64(number)).payload))
      guard let arrived = await arrivals.next() else { break }
      latencies.append(milliseconds(began.duration(to: arrived)))
      // The next action comes after rest, at no fixed beat.
      try await Task.sleep(for: .milliseconds(160 + number % 40))
    }
    await mac.stop()
    await phone.stop()
    return latencies
  }

  static func sharedFile() async throws {
    let file = NSTemporaryDirectory() + "sync-bench-shared-\(UUID().uuidString).sqlite"
    let zones: [String: any MergePolicy] = [PomodoroPolicy.zone: PomodoroPolicy()]
    let found = try await latencies(
      try SQLiteBackend(path: file, zones: zones), try SQLiteBackend(path: file, zones: zones), count: 100)
    percentiles("action to other device, one SQLite file", found, bar: "p99 <= 150 ms")
  }

  static func server(_ information: String) async throws {
    let backend = try await PostgresBackend(information, zones: [PomodoroPolicy.zone: PomodoroPolicy()])
    var settings = ServerSettings(tokens: [PomodoroPolicy.zone: nil])
    settings.port = 0
    settings.requestsPerSecond = 1_000_000
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let server = SyncServer(backend: backend, settings: settings)
    let running = Task { try await server.run(stopOnSignals: false) { continuation.yield($0) } }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else { return }
    let address = "http://127.0.0.1:\(port)"
    let found = try await latencies(
      try HTTPBackend(address: address, token: ""), try HTTPBackend(address: address, token: ""), count: 200)
    percentiles("action to other device, server and PostgreSQL", found, bar: "p50 <= 10 ms, p99 <= 50 ms")
    running.cancel()
    backend.close()
  }

  // MARK: PostgreSQL

  static func bareNotify(_ information: String) async throws {
    percentiles(
      "bare libpq: write, NOTIFY, listener", try PostgresProbe.writeAndNotify(information, count: 300), bar: "beside it"
    )
  }

  static func commits(_ information: String) async throws {
    let writers = 16
    let zones = Dictionary(uniqueKeysWithValues: (0..<writers).map { ("Bench\($0)", AnythingPolicy()) })
    let backend = try await PostgresBackend(information, zones: zones, connections: writers)
    var done = 0
    let began = ContinuousClock.now
    try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<writers {
        group.addTask {
          let (zone, device) = ("Bench\(writer)", DeviceID(stem: "w", random: .random(in: 0 ... .max)))
          let key = RecordKey(type: "T", name: "run-\(device)")
          var version: Int64 = 0
          let now = try await backend.serverTime()
          while began.duration(to: .now) < .seconds(5) {
            let write = Write(dot: Dot(device: device, number: version + 1), milliseconds: now, payload: [1])
            _ = try await backend.commit(
              [Operation(key: key, expectedVersion: version, change: .write(write))], zone: zone)
            version += 1
          }
          return Int(version)
        }
      }
      for try await count in group { done += count }
    }
    let seconds = milliseconds(began.duration(to: .now)) / 1000
    row(
      "commits on PostgreSQL, 16 writers", [("perSecond", Double(done) / seconds)],
      bar: ">= 5000")
    backend.close()
  }

  static func catchUp(_ information: String) async throws {
    let zone = "Catch\(UInt32.random(in: 0 ... .max))"
    let backend = try await PostgresBackend(information, zones: [zone: AnythingPolicy()])
    let device = DeviceID(stem: "w", random: 1)
    let now = try await backend.serverTime()
    for batch in 0..<50 {
      let operations = (0..<200).map { index in
        Operation(
          key: RecordKey(type: "T", name: "r\(batch * 200 + index)"), expectedVersion: 0,
          change: .write(
            Write(dot: Dot(device: device, number: Int64(batch * 200 + index + 1)), milliseconds: now, payload: [1])))
      }
      _ = try await backend.commit(operations, zone: zone)
    }
    let began = ContinuousClock.now
    var (cursor, count, hasMore): (Cursor?, Int, Bool) = (nil, 0, true)
    while hasMore {
      let page = try await backend.changes(zone: zone, since: cursor, limit: 200, maximumBytes: 1 << 20)
      (cursor, hasMore) = (page.cursor, page.hasMore)
      count += page.records.count
    }
    row(
      "catch-up of 10,000 records from PostgreSQL",
      [("seconds", milliseconds(began.duration(to: .now)) / 1000), ("records", Double(count))], bar: "<= 1 s")
    backend.close()
  }
}

/// Takes anything: for measuring the store alone.
struct AnythingPolicy: MergePolicy {
  let windowMilliseconds: Int64 = 5000
  func standing(of entry: Entry, atMilliseconds reference: Int64) -> Standing { Standing(priority: 0) }
  func problem(with write: Write, for key: RecordKey) -> String? { nil }
}
