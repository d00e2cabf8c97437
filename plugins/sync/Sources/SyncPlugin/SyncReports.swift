import FlowModel
import SyncCore
import SyncDevice
import SyncEngine
import SyncPomodoro
import SyncRecords
import SyncSQLite
import SyncSimulation

/// The output of the `flowrun sync` subcommands.
package enum SyncReports {
  /// Returns the files of one device or of all devices in a data folder, sorted by name.
  package static func files(in folder: String, device: String?) -> [String] {
    DeviceFile.all(in: folder, device: device)
  }

  /// Returns the status in a device's file, or nil if the file has not been used yet. Throws a `ReplicaError` if the
  /// file cannot be read.
  package static func status(file: String) async throws -> StatusReport? {
    let store = try SQLiteReplicaStore(path: file, isReadOnly: true)
    defer { try? store.close() }
    let now = SystemClock().nowMilliseconds()
    guard let replica = try Replica(stored: try await store.load(), limits: nil) else { return nil }
    let status = SyncStatus(of: replica, atMilliseconds: now)
    return StatusReport(
      value: status.value(of: replica, nowMilliseconds: now),
      text: status.lines(of: replica, nowMilliseconds: now).joined(separator: "\n"))
  }

  /// Simulates several devices for `hours` hours on a virtual clock, with records of a schema, by default the timer's.
  /// `onProgress` is called regularly with the completed share, from 0 to 1.
  package static func simulate(
    schema: RecordSchema? = nil, seed: UInt64, devices: Int, hours: Int, loss: Double,
    backend: SimulationPlan.Backend = .server,
    onProgress: @escaping (Double) -> Void = { _ in }
  ) -> DayReport {
    let schema = schema ?? Pomodoro.schema
    var plan = SimulationPlan.day(seed: seed, devices: devices, hours: hours, loss: loss, schema: schema)
    plan.backend = backend
    let report = Simulation.run(plan, onProgress: onProgress)
    return DayReport(
      value: report.value(of: schema), text: report.lines(of: schema).joined(separator: "\n"), isGood: report.isGood)
  }
}

/// The status of a device, as an object and as text.
package struct StatusReport: Sendable {
  package let value: ValueObject
  package let text: String
}

/// The result of a simulated day, as an object and as text.
package struct DayReport: Sendable {
  package let value: ValueObject
  package let text: String
  /// True if all devices ended with the content that the oracle had computed and no rule was violated.
  package let isGood: Bool
}

extension SimulationReport {
  /// Returns the object printed by `flowrun sync simulate --json`.
  func value(of schema: RecordSchema) -> ValueObject {
    var latency = ValueObject()
    latency["p50"] = .integer(Int(self.latency(percentile: 0.5)))
    latency["p99"] = .integer(Int(self.latency(percentile: 0.99)))
    latency["max"] = .integer(Int(self.latency(percentile: 1)))
    var object = ValueObject()
    object["seed"] = Int(exactly: seed).map { .integer($0) } ?? .string(String(seed))
    object["schema"] = .string(schema.name)
    object["converged"] = .boolean(converged)
    object["equalsOracle"] = .boolean(equalsOracle)
    object["requestsPerHourMax"] = .integer(requestsPerHourMax)
    object["bytesPerDayMax"] = .integer(bytesPerDayMax)
    object["requests"] = .integer(requests)
    object["bytes"] = .integer(bytes)
    object["latencyMilliseconds"] = .object(latency)
    object["conflicts"] = .object(SyncStatus.conflicts(conflicts))
    object["actions"] = .integer(actions)
    object["acknowledged"] = .integer(Int(acknowledged))
    object["parked"] = .integer(parked)
    object["lost"] = .integer(lost)
    if let cloud { object["cloud"] = ["saves": .integer(cloud.saves), "conflicts": .integer(cloud.conflicts)] }
    object["violations"] = .array(violations.map { .string($0) })
    return object
  }

  func lines(of schema: RecordSchema) -> [String] {
    let decided = ConflictRule.allCases.compactMap { rule in conflicts[rule].map { "\(rule.rawValue) \($0)" } }
    let oracle = equalsOracle ? "as the oracle says" : "NOT as the oracle says"
    var lines = [
      "seed        \(seed)", "schema      \(schema.name)",
      "replicas    \(converged ? "equal" : "DIFFERENT"), \(oracle)",
    ]
    lines.append("actions     \(actions), \(acknowledged) acknowledged, \(parked) parked, \(lost) lost")
    lines.append("in all      \(requests) requests, \(bytes) bytes")
    lines.append("requests    at most \(requestsPerHourMax) in an hour, a device")
    lines.append("traffic     at most \(bytesPerDayMax) bytes in a day, a device")
    let (p50, p99, most) = (latency(percentile: 0.5), latency(percentile: 0.99), latency(percentile: 1))
    lines.append("latency     p50 \(p50) ms, p99 \(p99) ms, max \(most) ms")
    lines.append("conflicts   \(decided.isEmpty ? "none" : decided.joined(separator: ", "))")
    if let cloud {
      lines.append("cloud zone  \(cloud.saves) saves, \(cloud.conflicts) refused because another device was faster")
    }
    lines += violations.map { "broken      \($0)" }
    if !isGood { lines.append("replay with --seed \(seed)") }
    return lines
  }
}
