import SyncCore
import SyncEngine

/// A device in the simulated world: the real machine on a disk that survives crashes.
struct SimulatedDevice {
  let id: DeviceID
  let index: Int
  /// The difference of its clock to true time.
  let skewMilliseconds: Int64
  var machine: SyncMachine
  var disk: [String: [UInt8]] = [:]
  var isUp = false
  /// Incremented by each start. Events for an earlier incarnation are dropped.
  var incarnation = 0
  /// True if it is pointed at the store of other people.
  var isElsewhere = false
  var elsewhere: Set<Int> = []
  var wakeMilliseconds: Int64?
  /// The number of effects carried out over all incarnations.
  var effects = 0
  /// For each record, the highest number of each device that the device has seen.
  var known: [RecordKey: [Int64]] = [:]
  /// For each record, the zone's number of the change that `known` reflects.
  var knownSequences: [RecordKey: Int64] = [:]
  /// The transactions that it has only seen in part.
  var openTransactions: [Int] = []
  /// The true times of all requests.
  var requestTimes: [Int64] = []
  /// The true times and sizes of everything sent and received.
  var traffic: [(milliseconds: Int64, bytes: Int)] = []
  /// The acts of other devices that have not been seen here.
  var awaited: [(dot: Dot, key: RecordKey, sinceMilliseconds: Int64)] = []
  var lastCursor: Cursor?
  var levels: Set<Degradation.Level> = []

  init(index: Int, plan: SimulationPlan) {
    self.index = index
    id = Self.name(index)
    skewMilliseconds = index < plan.faults.skewsMilliseconds.count ? plan.faults.skewsMilliseconds[index] : 0
    machine = SyncMachine(
      replica: Replica(device: id, limits: plan.limits), settings: plan.settings, seed: plan.seed)
  }

  static func name(_ index: Int) -> DeviceID { DeviceID(stem: "device", random: UInt32(index + 1)) }

  /// Records the time when its machine must be woken next. Returns it if it changed.
  mutating func setWake(_ local: Int64, _ now: Int64) -> Int64? {
    let wake = machine.nextWake(atMilliseconds: local)
    let time = wake.map { $0 == .max ? now + 3_600_000 : now + max(1, min($0 - local, 3_600_000)) }
    defer { wakeMilliseconds = time }
    return time == wakeMilliseconds ? nil : time
  }

  mutating func save(_ changes: [StoreChange]) {
    for change in changes { disk[change.key] = change.value }
  }
}
