import SyncCore
import SyncEngine
import SyncPomodoro

extension Simulation {
  /// Compares what is with what must be.
  mutating func judged() -> SimulationReport {
    if !hasComeToRest { report.violations.append("no rest after \(plan.patienceMilliseconds / 60_000) min") }
    report.converged = hasComeToRest && devices.allSatisfy(agreesWithServer)
    report.equalsOracle = report.converged && agreesWithOracle
    for device in devices { judge(device) }
    if !server.hasGoneBack { report.violations += server.misdated.prefix(10) }
    report.latenciesMilliseconds.sort()
    report.commits = server.zone.sequence
    return report
  }

  private func agreesWithServer(_ device: SimulatedDevice) -> Bool {
    let records = device.machine.replica.confirmed
    return records.count == server.zone.records.count
      && server.zone.records.allSatisfy { key, record in
        records[key].map { $0.version == record.version && $0.cell.packed() == record.cell.packed() } ?? false
      }
  }

  private var agreesWithOracle: Bool {
    if server.hasGoneBack { return true }
    return server.zone.records.allSatisfy { key, record in
      record.cell.reading(by: policy)?.winner.dot == server.oracle.winner(of: key)
        && record.cell.tally == server.oracle.tally(of: key)
        && Dictionary(uniqueKeysWithValues: record.cell.fields.map { ($0.name, $0.value) })
          == server.oracle.fields(of: key)
    }
  }

  private mutating func judge(_ device: SimulatedDevice) {
    let replica = device.machine.replica
    report.requestsPerHourMax = max(
      report.requestsPerHourMax, Self.most(device.requestTimes.map { (milliseconds: $0, bytes: 1) }, within: 3_600_000))
    report.bytesPerDayMax = max(report.bytesPerDayMax, Self.most(device.traffic, within: 86_400_000))
    report.requests += device.requestTimes.count
    report.acknowledged += replica.statistics.acknowledged
    report.parked += replica.outbox.count { $0.parkedBecause != nil }
    report.effects.append(device.effects)
    for (rule, count) in replica.statistics.conflicts { report.conflicts[rule, default: 0] += count }
    // V14, V20: every action that was saved is on the server, or a newer one of its device is, or it can be seen.
    let reached = server.zone.records.values.map { $0.cell.context[device.id] }.max() ?? 0
    if reached < device.lastAct, report.parked == 0 {
      report.violations.append(
        "\(device.id):\(device.lastAct) was saved and never reached the server, which knows \(reached)")
    }
  }

  /// The largest sum within any window that includes its end.
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
