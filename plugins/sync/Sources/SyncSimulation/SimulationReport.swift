import SyncCore

/// The result of a simulation.
package struct SimulationReport: Sendable {
  /// The seed of the plan, which replays the simulation.
  package var seed: UInt64
  /// True if all devices and the server ended with equal bytes.
  package var converged = false
  /// True if their content is the one that the oracle computed.
  package var equalsOracle = false
  /// The maximum number of a device's requests in any sliding hour.
  package var requestsPerHourMax = 0
  /// The maximum number of a device's bytes in any sliding day.
  package var bytesPerDayMax = 0
  /// The times from each action to its arrival on each other device, sorted, in milliseconds.
  package var latenciesMilliseconds: [Int64] = []
  /// The number of conflicts by rule, over all devices.
  package var conflicts: [ConflictRule: Int64] = [:]
  /// The number of users' actions.
  package var actions = 0
  /// The number of acknowledged changes.
  package var acknowledged: Int64 = 0
  /// The number of parked changes.
  package var parked = 0
  /// The number of the server's commits.
  package var commits: Int64 = 0
  /// The number of requests of all devices.
  package var requests = 0
  /// The bytes sent and received by all devices.
  package var bytes = 0
  /// The number of saved acts that are neither on the server nor parked.
  package var lost = 0
  /// The time when all devices became idle, in milliseconds from the start.
  package var restedAtMilliseconds: Int64 = 0
  /// The number of effects performed by each device. A crash can be planned before each of them.
  package var effects: [Int] = []
  /// The number of saves in a cloud database and of those refused because another device was faster, or nil with a
  /// server.
  package var cloud: (saves: Int, conflicts: Int)?
  /// The broken rules, as text.
  package var violations: [String] = []

  /// Returns the latency that this share of the times does not exceed, or 0 if there are no times.
  package func latency(percentile: Double) -> Int64 {
    guard !latenciesMilliseconds.isEmpty else { return 0 }
    let rank = Int((percentile * Double(latenciesMilliseconds.count)).rounded(.up))
    return latenciesMilliseconds[min(max(rank, 1), latenciesMilliseconds.count) - 1]
  }

  /// True if the result equals the expected one, and no act was lost and no rule broken.
  package var isGood: Bool { converged && equalsOracle && lost == 0 && violations.isEmpty }
}
