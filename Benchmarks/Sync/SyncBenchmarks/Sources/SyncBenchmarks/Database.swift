import Foundation
import SyncCore
import SyncEngine
import SyncHTTP
import SyncPostgres

/// PostgreSQL under load, and a device that has everything to fetch.
enum Database {
  static let seconds = 5.0

  /// What a load of commits came to.
  struct Load {
    var perSecond: Double
    /// From the call of a commit until its answer.
    var latencies: Latencies
    /// Processor time of this process, writers and backend together, for a commit; PostgreSQL's own is not in it.
    var processMicroseconds: Double
  }

  /// Commits by so many writers, each to a zone of its own or all to one, through a backend as a server has it.
  static func commits(_ information: String, writers: Int, zones: Int) async throws -> Load {
    let names = (0..<zones).map { "Commits\($0)" }
    let policies = Dictionary(uniqueKeysWithValues: names.map { ($0, AnythingPolicy()) })
    let backend = try await PostgresBackend(information, zones: policies)
    defer { backend.close() }
    let (began, busy) = (Instant.now, Instant.processor)
    let all = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for writer in 0..<writers {
        group.addTask {
          let (zone, device) = (names[writer % zones], DeviceID(stem: "w", random: .random(in: 0 ... .max)))
          let key = RecordKey(type: "T", name: "run-\(device)")
          let now = try await backend.serverTime()
          var times: [UInt64] = []
          while Double(Instant.now - began) < seconds * 1e9 {
            let (start, version) = (Instant.now, Int64(times.count))
            let write = Write(dot: Dot(device: device, number: version + 1), milliseconds: now, payload: [1])
            let reply = try await backend.commit(
              [Operation(key: key, expectedVersion: version, change: .write(write))], zone: zone)
            guard case .committed(version + 1, _, _)? = reply.results.first else {
              throw Failure("a commit came to \(reply.results)")
            }
            times.append(Instant.now - start)
          }
          return times
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let elapsed = Double(Instant.now - began) / 1e9
    let used = Double(Instant.processor - busy) / 1000
    var latencies = Latencies()
    for time in all { latencies.record(nanoseconds: time) }
    let count = Double(all.count)
    return Load(perSecond: count / elapsed, latencies: latencies, processMicroseconds: used / count)
  }

  /// A new device fetches so many records through the server and keeps them in its file.
  static func catchUp(
    _ information: String, records count: Int, atMostSeconds limit: Double, _ figures: Figures
  ) async throws {
    let zone = "CatchUp\(UInt32.random(in: 0 ... .max))"
    let backend = try await PostgresBackend(information, zones: [zone: AnythingPolicy()])
    let device = DeviceID(stem: "w", random: 1)
    let now = try await backend.serverTime()
    for batch in 0..<(count / SyncLimits.operations) {
      let operations = (0..<SyncLimits.operations).map { index in
        let number = batch * SyncLimits.operations + index
        return Operation(
          key: RecordKey(type: "T", name: "r\(number)"), expectedVersion: 0,
          change: .write(
            Write(dot: Dot(device: device, number: Int64(number + 1)), milliseconds: now, payload: [1])))
      }
      _ = try await backend.commit(operations, zone: zone)
    }
    let bare = Instant.now
    var (cursor, hasMore): (Cursor?, Bool) = (nil, true)
    while hasMore {
      let page = try await backend.changes(
        zone: zone, since: cursor, limit: SyncLimits.records, maximumBytes: SyncLimits.bodyBytes)
      (cursor, hasMore) = (page.cursor, page.hasMore)
    }
    let direct = Double(Instant.now - bare) / 1e9
    backend.close()
    let seconds = try await Devices.serving(information, zone: zone) { address in
      let session = try await Devices.session(
        "new", try HTTPBackend(address: address, token: ""), zone: zone, policy: AnythingPolicy())
      let began = Instant.now
      await session.start()
      guard await session.wait(milliseconds: 600_000, until: { $0.completedPulls > 0 }),
        await session.machine.replica.confirmed.count == count
      else { throw Failure("the new device did not fetch everything") }
      let taken = Double(Instant.now - began) / 1e9
      await session.stop()
      return taken
    }
    figures.add(
      "cold catch-up of \(count / 1000),000 records by a new device", seconds, "s", atMost: limit,
      detail: "reading them from PostgreSQL alone \(Figures.short(direct)) s",
      figures: ["seconds": seconds, "postgresSeconds": direct, "records": Double(count)])
  }

  /// What an edit costs on a device with 100,000 records, beside one with 100: taken in and saved, nothing is sent.
  static func editing(_ figures: Figures) async throws {
    var (small, large) = (Latencies(), Latencies())
    let (few, many) = (try await Devices.filled(records: 100), try await Devices.filled(records: 100_000))
    // In turns, so that both meet the same disk and the same machine.
    for number in 1...300 {
      for session in [few, many] {
        let began = Instant.now
        try await session.act(RecordKey(type: "T", name: "r7"), .init(payload: [UInt8(number % 256)]))
        if session === few {
          small.record(nanoseconds: Instant.now - began)
        } else {
          large.record(nanoseconds: Instant.now - began)
        }
      }
    }
    for session in [few, many] { await session.stop() }
    figures.add("an edit with 100,000 records, against one with 100", large, to: small, bars: [(50, 1.5)])
  }
}
