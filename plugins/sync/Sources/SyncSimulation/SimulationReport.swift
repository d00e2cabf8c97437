import SyncCore

/// The result of a simulation.
public struct SimulationReport: Sendable {
  /// The seed that replays it.
  public var seed: UInt64
  /// Whether every device and the server ended with equal bytes.
  public var converged = false
  /// Whether they hold what the oracle says.
  public var equalsOracle = false
  /// The most requests of a device in any sliding hour.
  public var requestsPerHourMax = 0
  /// The most bytes of a device in any sliding day.
  public var bytesPerDayMax = 0
  /// From an action to its being applied on another device, for each such pair, sorted, in milliseconds.
  public var latenciesMilliseconds: [Int64] = []
  /// What each rule decided, over all devices.
  public var conflicts: [ConflictRule: Int64] = [:]
  /// What the users did.
  public var actions = 0
  /// Changes that were acknowledged.
  public var acknowledged: Int64 = 0
  /// Changes that were parked.
  public var parked = 0
  /// Commits that the server made.
  public var commits: Int64 = 0
  /// Requests of all devices.
  public var requests = 0
  /// Bytes of all devices, sent and received.
  public var bytes = 0
  /// Acts that were saved, and are neither on the server nor parked where they can be seen.
  public var lost = 0
  /// When everything was idle, in milliseconds from the start.
  public var restedAtMilliseconds: Int64 = 0
  /// The effects that each device carried out: where a crash can be put.
  public var effects: [Int] = []
  /// The saves in a cloud database, and those that another device was faster than; nil with a server.
  public var cloud: (saves: Int, conflicts: Int)?
  /// Every rule that was broken on the way, in words.
  public var violations: [String] = []

  /// The latency that this share of the pairs stays within; 0 when there were none.
  public func latency(percentile: Double) -> Int64 {
    guard !latenciesMilliseconds.isEmpty else { return 0 }
    let rank = Int((percentile * Double(latenciesMilliseconds.count)).rounded(.up))
    return latenciesMilliseconds[min(max(rank, 1), latenciesMilliseconds.count) - 1]
  }

  /// Whether everything is as it must be.
  public var isGood: Bool { converged && equalsOracle && lost == 0 && violations.isEmpty }
}
