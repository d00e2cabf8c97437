import SyncCore
import SyncEngine
import SyncRecords

extension Simulation {
  /// Returns the report, with all differences between the result and the expected result.
  mutating func judged() -> SimulationReport {
    if !hasComeToRest { report.violations.append("no rest after \(plan.patienceMilliseconds / 60_000) min") }
    report.converged = hasComeToRest && devices.allSatisfy(agreesWithServer)
    let problems = server.hasGoneBack ? [] : problemsByOracle
    report.equalsOracle = report.converged && problems.isEmpty
    report.violations += problems.prefix(10)
    for device in devices { judge(device) }
    if !otherStore.isUntouched { report.violations.append("a change reached the store of other people") }
    if !server.hasGoneBack { report.violations += server.misdated.prefix(10) + server.repeated.prefix(10) }
    report.latenciesMilliseconds.sort()
    report.commits = server.zone.sequence
    report.cloud = server.cloud.map { ($0.saves, $0.conflicts) }
    return report
  }

  private func agreesWithServer(_ device: SimulatedDevice) -> Bool {
    let records = device.machine.replica.confirmed
    return records.count == server.zone.records.count
      && server.zone.records.allSatisfy { key, record in
        records[key].map { $0.version == record.version && $0.cell.packed() == record.cell.packed() } ?? false
      }
  }

  /// Messages about the problems that the oracle finds in the zone.
  private var problemsByOracle: [String] {
    let zone = server.zone.records
    var problems: [String] = []
    for key in server.oracle.recordKeys.union(zone.keys.filter { plan.schema.collection($0.type) != nil }).sorted() {
      problems += server.oracle.problems(with: zone[key]?.cell, key) + server.oracle.misplaced(key)
      problems += forgottenTargets(of: key)
    }
    return problems
  }

  /// Returns messages about references of this record to deleted records whose deletion the zone has forgotten. The
  /// zone must keep such a deletion, because it changes how the references are read.
  private func forgottenTargets(of key: RecordKey) -> [String] {
    guard let collection = plan.schema.collection(key.type), let cell = server.zone.records[key]?.cell else {
      return []
    }
    return zip(collection.fields, collection.values(of: cell)).compactMap { field, value in
      guard case .reference(let name) = field.rule.type, field.rule.onDelete ?? .keep != .keep,
        case .text(let text) = value, let target = plan.schema.collection(name)
      else { return nil }
      let targetKey = RecordKey(type: target.name, name: text)
      let isDeleted = server.oracle.recordKeys.contains(targetKey) && server.oracle.present(targetKey) == nil
      guard isDeleted, server.zone.records[targetKey] == nil else { return nil }
      return "\(key) refers to \(targetKey), which is deleted, and the zone has forgotten that"
    }
  }

  private mutating func judge(_ device: SimulatedDevice) {
    let replica = device.machine.replica
    report.requestsPerHourMax = max(
      report.requestsPerHourMax, Self.most(device.requestTimes.map { (milliseconds: $0, bytes: 1) }, within: 3_600_000))
    report.bytesPerDayMax = max(report.bytesPerDayMax, Self.most(device.traffic, within: 86_400_000))
    report.requests += device.requestTimes.count
    report.bytes += device.traffic.reduce(0) { $0 + $1.bytes }
    report.acknowledged += replica.statistics.acknowledged
    report.parked += replica.outbox.count { $0.parkedBecause != nil }
    report.effects.append(device.effects)
    for (rule, count) in replica.statistics.conflicts { report.conflicts[rule, default: 0] += count }
    judgeLosses(of: device)
  }

  /// Checks that every saved action has reached the server or is parked (V14, V20).
  private mutating func judgeLosses(of device: SimulatedDevice) {
    if server.hasGoneBack { return }
    let taken = server.taken[device.index]
    let parked = Set(device.machine.replica.outbox.filter { $0.parkedBecause != nil }.compactMap(\.write?.dot.number))
    for act in log.acts[device.index] where !taken.contains(act.number) && !parked.contains(act.number) {
      report.lost += 1
      if report.lost <= 10 {
        report.violations.append("\(device.id):\(act.number) on \(act.key) was saved and never reached the server")
      }
    }
  }

  /// Returns the largest sum of bytes within any `window` milliseconds.
  static func most(_ events: [(milliseconds: Int64, bytes: Int)], within window: Int64) -> Int {
    var (sum, most, first) = (0, 0, 0)
    for event in events {
      sum += event.bytes
      while event.milliseconds - events[first].milliseconds > window {
        sum -= events[first].bytes
        first += 1
      }
      most = max(most, sum)
    }
    return most
  }
}
