import Foundation
import SyncCore
import SyncEngine
import SyncHTTP
import SyncPostgres

/// Measures PostgreSQL under load, and a device that has to fetch all records.
enum Database {
  static let seconds = 5.0

  /// The results of committing under load.
  struct Load {
    var perSecond: Double
    /// The durations of commits, from the call to the answer.
    var latencies: Latencies
    /// The processor time per commit of this process, which includes the writers and the backend but not PostgreSQL.
    var processMicroseconds: Double
  }

  /// Measures commits by several writers through a backend, as a server uses it. The writers use separate zones or
  /// share one.
  static func commits(_ information: String, writers: Int, zones: Int) async throws -> Load {
    let names = (0..<zones).map { "Commits\($0)" }
    let backend = try await PostgresBackend(information, zones: names)
    defer { backend.close() }
    for name in names { try await Notes.nameRules(backend, zone: name) }
    let (began, busy) = (Instant.now, Instant.processor)
    let all = try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for writer in 0..<writers {
        group.addTask {
          let (zone, device) = (names[writer % zones], DeviceID(stem: "w", random: .random(in: 0 ... .max)))
          let key = RecordKey(type: "notes", name: "run-\(device)")
          let now = try await backend.serverTime()
          var times: [UInt64] = []
          while Double(Instant.now - began) < seconds * 1e9 {
            let (start, version) = (Instant.now, Int64(times.count))
            let dot = Dot(device: device, number: version + 1)
            let like = Notes.like(key, by: dot, expected: version, milliseconds: now)
            let reply = try await backend.commit([like], zone: zone)
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

  /// Measures a new device that fetches this many records from the server and stores them in its own file.
  static func catchUp(
    _ information: String, records count: Int, atMostSeconds limit: Double, _ figures: Figures
  ) async throws {
    let zone = "CatchUp\(UInt32.random(in: 0 ... .max))"
    let backend = try await PostgresBackend(information, zones: [zone])
    try await Notes.fill(backend, zone: zone, records: count)
    let (bare, busy) = (Instant.now, Instant.processor)
    var (cursor, hasMore): (Cursor?, Bool) = (nil, true)
    while hasMore {
      let page = try await backend.changes(
        zone: zone, since: cursor, limit: SyncLimits.records, maximumBytes: SyncLimits.bodyBytes)
      (cursor, hasMore) = (page.cursor, page.hasMore)
    }
    let direct = Double(Instant.now - bare) / 1e9
    let directBusy = Double(Instant.processor - busy) / 1e9
    backend.close()
    let (seconds, used, server) = try await Devices.serving(information, zone: zone) { address, number in
      let session = try await Notes.session(try HTTPBackend(address: address, token: ""), zone: zone)
      let (began, busy) = (Instant.now, Instant.processor)
      await session.start()
      guard await session.wait(milliseconds: 600_000, until: { $0.completedPulls > 0 }),
        await session.machine.replica.confirmed.count == count + 1
      else { throw Failure("the new device did not fetch everything") }
      let taken = Double(Instant.now - began) / 1e9
      let used = Double(Instant.processor - busy) / 1e9
      await session.stop()
      return (taken, used, try Devices.megabytes(of: number))
    }
    let device = try Devices.megabytes(of: getpid())
    figures.add(
      "cold catch-up of \(count / 1000),000 records by a new device", seconds, "s", atMost: limit,
      detail:
        "\(Figures.short(used)) s of processor time on the device; reading them from PostgreSQL alone \(Figures.short(direct)) s; at most \(Figures.short(server)) MB in the server, \(Figures.short(device)) MB in the device",
      figures: [
        "seconds": seconds, "deviceProcessorSeconds": used, "postgresSeconds": direct,
        "postgresProcessorSeconds": directBusy, "records": Double(count), "serverMegabytes": server,
        "deviceMegabytes": device,
      ])
  }

  /// Compares the cost of an edit on devices with 100,000 and with 100 records, in zones of the same size. The cost is
  /// the processor time until the edit is acknowledged, shown and saved. The time of the disk is the same for both.
  static func editing(_ figures: Figures) async throws {
    var (small, large) = (Latencies(), Latencies())
    let (few, many) = (try await Notes.filled(records: 100), try await Notes.filled(records: 100_000))
    // The devices alternate, so that both run on the same disk and machine under the same load.
    for number in 1...300 {
      for session in [few, many] {
        let busy = Instant.processor
        let title = RecordEdit(fields: ["title": .set(Scalar.text("edit \(number)").bytes)])
        try await session.act(Notes.key(number % 100), .edit(title))
        guard await session.wait(milliseconds: 60_000, until: { $0.isFlushed }) else {
          throw Failure("an edit was not acknowledged")
        }
        let used = Instant.processor - busy
        if session === few { small.record(nanoseconds: used) } else { large.record(nanoseconds: used) }
      }
    }
    for session in [few, many] { await session.stop() }
    figures.add("an edit with 100,000 records, against one with 100", large, to: small, bars: [(50, 1.5)])
  }
}
