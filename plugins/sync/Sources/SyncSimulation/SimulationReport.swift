import SyncCore

/// The result of a simulation: the comparison with the oracle, and the traffic.
package struct SimulationReport: Sendable {
  /// The seed of the plan. The simulation can be repeated with it.
  package var seed: UInt64
  /// True if all devices and the server ended with identical bytes.
  package var converged = false
  /// True if all devices agree and the final content is the one that the oracle computed. The content is not compared
  /// if the zone was restored from a copy.
  package var equalsOracle = false
  /// The maximum number of requests that one device sent in any hour.
  package var requestsPerHourMax = 0
  /// The maximum number of bytes that one device sent and received in any day.
  package var bytesPerDayMax = 0
  /// The times in milliseconds from each action to its arrival on each other device, sorted.
  package var latenciesMilliseconds: [Int64] = []
  /// The number of conflicts decided by each rule, over all devices.
  package var conflicts: [ConflictRule: Int64] = [:]
  /// The number of users' actions.
  package var actions = 0
  /// The number of acknowledged changes.
  package var acknowledged: Int64 = 0
  /// The number of parked changes.
  package var parked = 0
  /// The zone's last sequence number, which is the number of committed changes.
  package var commits: Int64 = 0
  /// The number of requests of all devices.
  package var requests = 0
  /// The bytes sent and received by all devices.
  package var bytes = 0
  /// The number of saved actions that are neither on the server nor parked.
  package var lost = 0
  /// The time of the last processed event, in milliseconds since the start. The simulation ends once the faults have
  /// ended and all devices are idle.
  package var restedAtMilliseconds: Int64 = 0
  /// The number of effects that each device performed. A crash can be planned before each of them.
  package var effects: [Int] = []
  /// The number of saves in a cloud database, and the number of saves refused because another device had committed
  /// first. Nil with a server.
  package var cloud: (saves: Int, conflicts: Int)?
  /// Messages about violated rules.
  package var violations: [String] = []

  /// Returns the latency that is not exceeded by this share of the times, from 0 to 1. Returns 0 if there are no times.
  package func latency(percentile: Double) -> Int64 {
    guard !latenciesMilliseconds.isEmpty else { return 0 }
    let rank = Int((percentile * Double(latenciesMilliseconds.count)).rounded(.up))
    return latenciesMilliseconds[min(max(rank, 1), latenciesMilliseconds.count) - 1]
  }

  /// True if the result is the expected one, no action was lost and no rule was violated.
  package var isGood: Bool { converged && equalsOracle && lost == 0 && violations.isEmpty }
}
