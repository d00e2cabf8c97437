import Foundation
import SyncCore
import SyncEngine
import SyncHTTP
import SyncPostgres
import SyncRecords
import SyncSQLite

/// A device that reconnects with many changes to send. The server is a separate process, reached over HTTP on loopback.
/// Its zone is in PostgreSQL or in an SQLite file.
enum Backlog {
  /// The kinds of changes that the device makes while offline.
  private enum Kind {
    case transactions(Int, of: Int)
    case writes(Int)
  }

  static func measure(_ information: String, _ figures: Figures) async throws {
    let file = NSTemporaryDirectory() + "sync-benchmark-backlog-\(UUID().uuidString).sqlite"
    for (name, place) in [("PostgreSQL", information), ("SQLite", Devices.filePrefix + file)] {
      let together = try await send(.transactions(100, of: 200), place)
      add("100 transactions of 200 records", name, together, figures)
      // The two sizes alternate and the fastest of three measurements counts, because a single disturbance would
      // distort the ratio.
      var (some, twice) = (try await send(.writes(20_000), place), try await send(.writes(40_000), place))
      for _ in 1..<3 {
        some = faster(some, try await send(.writes(20_000), place))
        twice = faster(twice, try await send(.writes(40_000), place))
      }
      add("20,000 single writes", name, some, figures)
      figures.add(
        "a backlog of 40,000 writes over HTTP to \(name), against one of 20,000", twice.seconds / some.seconds, "×",
        atMost: 2.2, detail: "\(twice.text); \(some.text)")
    }
  }

  private static func add(_ work: String, _ name: String, _ sent: Sent, _ figures: Figures) {
    figures.add(
      "a backlog of \(work) over HTTP to \(name)", sent.seconds, "s", atMost: 5, detail: sent.text,
      figures: [
        "seconds": sent.seconds, "processorSeconds": sent.processorSeconds, "requests": Double(sent.requests),
        "bytes": Double(sent.bytes),
      ])
  }

  /// The cost of sending, from when the device is online until all changes are acknowledged.
  private struct Sent {
    var seconds: Double
    /// The processor time of the device's process.
    var processorSeconds: Double
    var requests: Int
    var bytes: Int

    var text: String {
      "\(Figures.short(seconds)) s, \(Figures.short(processorSeconds)) s of processor time on the device, \(requests) requests, \(Figures.short(Double(bytes) / 1e6)) MB"
    }
  }

  private static func faster(_ first: Sent, _ second: Sent) -> Sent { first.seconds < second.seconds ? first : second }

  private static func send(_ kind: Kind, _ place: String) async throws -> Sent {
    let zone = "Backlog\(UInt32.random(in: 0 ... .max))"
    return try await Devices.serving(place, zone: zone) { address, _ in
      let backend = try HTTPBackend(address: address, token: "")
      try await Notes.fill(backend, zone: zone, records: 100)
      let session = try await Notes.session(backend, zone: zone)
      await session.start()
      guard await session.wait(milliseconds: 60_000, until: { $0.completedPulls > 0 }) else {
        throw Failure("the device did not reach the server")
      }
      await session.setOnline(false)
      try await act(kind, session)
      let before = await session.status()
      let (began, busy) = (Instant.now, Instant.processor)
      await session.setOnline(true)
      guard await session.wait(milliseconds: 600_000, until: { $0.isFlushed }) else {
        throw Failure("the device did not send everything")
      }
      let (ended, used) = (Instant.now, Instant.processor)
      let after = await session.status()
      await session.stop()
      return Sent(
        seconds: Double(ended - began) / 1e9, processorSeconds: Double(used - busy) / 1e9,
        requests: after.requestsInHour - before.requestsInHour, bytes: after.bytesInDay - before.bytesInDay)
    }
  }

  private static func act(_ kind: Kind, _ session: SyncSession) async throws {
    let like = SyncMachine.Action.edit(RecordEdit(fields: ["likes": .add(1)]))
    switch kind {
    case .transactions(let count, let records):
      for number in 0..<count {
        try await session.act((0..<records).map { (Notes.key(1000 + number * records + $0), like) })
      }
    case .writes(let count):
      // Several actions run at once, so that they wait for the disk together.
      for begin in stride(from: 0, to: count, by: 500) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in begin..<min(count, begin + 500) {
            group.addTask { try await session.act(Notes.key(1000 + number), like) }
          }
          try await group.waitForAll()
        }
      }
    }
  }
}
