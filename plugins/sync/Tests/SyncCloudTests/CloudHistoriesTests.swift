import SyncCloud
import SyncCore
import SyncEngine
import SyncSimulation
import Testing

/// Simulates devices that share a zone in a cloud database. The database throttles requests and expires tokens. An
/// oracle checks the results.
struct `Random histories over a cloud database` {
  @Test func `every random history over a cloud database ends with the content that the oracle computes`() {
    var conflicts = 0
    for seed in 1...40 as ClosedRange<UInt64> {
      var plan = SimulationPlan.concurrentHistory(seed: seed)
      plan.backend = .cloudZone
      let report = Simulation.run(plan)
      #expect(report.isGood, "seed \(seed): \(report.violations)")
      conflicts += report.cloud?.conflicts ?? 0
    }
    #expect(conflicts > 0)
  }

  @Test(arguments: [0, 0.4]) func `a simulated day over a cloud database has the expected result`(_ loss: Double) {
    var plan = SimulationPlan.day(seed: 7, devices: 3, hours: 24, loss: loss)
    plan.backend = .cloudZone
    let report = Simulation.run(plan)
    #expect(report.isGood, "\(report.violations)")
    #expect((report.cloud?.saves ?? 0) > 0)
  }

  @Test func `two simulated days over a cloud database with the same seed have the same traffic`() {
    var plan = SimulationPlan.day(seed: 3, devices: 3, hours: 6, loss: 0.4)
    plan.backend = .cloudZone
    let (one, two) = (Simulation.run(plan), Simulation.run(plan))
    #expect(one.requests == two.requests && one.bytes == two.bytes && one.cloud?.saves == two.cloud?.saves)
  }

  @Test func `more forgotten records than one request allows are removed in several requests`() throws {
    let store = CloudMirror.store(ofAccount: "ada")
    var (cloud, mirror) = (SimulatedCloudZone(), CloudMirror(store: store))
    func commit(_ operations: [RecordOperation], atMilliseconds now: Int64) throws {
      let prepared = try mirror.prepare(operations, heard: nil, store: store, serverMilliseconds: now)
      guard let modification = prepared.modification else { return }
      #expect(modification.saved.count + modification.removed.count <= CloudModification.recordLimit)
      mirror.take(prepared, saved: try cloud.modify(modification, serverMilliseconds: now))
    }
    func read() throws -> CloudMirror {
      var copy = CloudMirror(store: store)
      try copy.take([try cloud.changes(since: nil, serverMilliseconds: 0)])
      return copy
    }
    cloud.pageLimit = 10_000
    let writer = CloudWriter()
    try commit(writer.rules(), atMilliseconds: 1)
    for part in 0..<6 { try commit(writer.make((0..<100).map { part * 100 + $0 }), atMilliseconds: 2) }
    for part in 0..<6 { try commit(writer.delete((0..<100).map { part * 100 + $0 }, mirror.zone), atMilliseconds: 3) }
    let before = mirror.zone.records.count
    let day: Int64 = 86_400_000
    for passed in 1...95 { try commit(writer.make([1000 + passed]), atMilliseconds: 3 + Int64(passed) * day) }
    #expect(mirror.zone.records.count < before - 400)
    #expect(try read().zone.records == mirror.zone.records)
    #expect(try read().zone.dropped == mirror.zone.dropped)
  }
}

/// Creates and deletes records of a collection. All writes come from one device and have consecutive numbers.
private final class CloudWriter {
  private let device = DeviceID(stem: "device", random: 1)
  private var number: Int64 = 0

  private func next() -> Dot {
    number += 1
    return Dot(device: device, number: number)
  }

  func rules() -> [RecordOperation] {
    let fields = [Write.FieldChange(name: "likes", value: Array("integer counter".utf8))]
    let write = Write(dot: next(), milliseconds: 1, fields: fields)
    return [RecordOperation(key: ZoneRules.key(of: "notes"), expectedVersion: 0, change: .write(write))]
  }

  func make(_ keys: [Int]) -> [RecordOperation] {
    keys.map { key in
      let record = RecordWrite(changes: [.init(name: "likes", kind: .add(1))])
      let write = Write(dot: next(), milliseconds: 2, record: record)
      return RecordOperation(key: RecordKey(type: "notes", name: "n\(key)"), expectedVersion: 0, change: .write(write))
    }
  }

  func delete(_ keys: [Int], _ zone: ZoneState) -> [RecordOperation] {
    keys.compactMap { key in
      guard let record = zone.records[RecordKey(type: "notes", name: "n\(key)")] else { return nil }
      let deletion = RecordWrite(incarnation: record.cell.content.incarnation, isDeletion: true)
      let write = Write(dot: next(), milliseconds: 3, context: record.cell.context, record: deletion)
      return RecordOperation(key: record.key, expectedVersion: record.version, change: .write(write))
    }
  }
}
