import SyncCore
import SyncEngine

/// A device in the simulated world: the real machine over a disk that survives a crash.
struct SimulatedDevice {
  let id: DeviceID
  let index: Int
  /// How far its clock is ahead of true time.
  let skewMilliseconds: Int64
  var machine: SyncMachine
  var disk: [String: [UInt8]] = [:]
  var isUp = false
  /// Rises with every start; what was meant for an earlier incarnation is dropped.
  var incarnation = 0
  /// Whether it is pointed at the store of other people, and in which of its incarnations it was.
  var isElsewhere = false
  var elsewhere: Set<Int> = []
  var wakeMilliseconds: Int64?
  /// Effects carried out so far, over all incarnations.
  var effects = 0
  /// What the device has seen of each record: the highest number of each device.
  var known: [RecordKey: [Int64]] = [:]
  /// The zone's number of the change of each record that `known` reflects.
  var knownSequences: [RecordKey: Int64] = [:]
  /// Transactions of which it has not seen everything.
  var openTransactions: [Int] = []
  /// True times of every request.
  var requestTimes: [Int64] = []
  /// True times and sizes of everything sent and received.
  var traffic: [(milliseconds: Int64, bytes: Int)] = []
  /// Remote actions that have not yet been seen here.
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

  /// Notes when its machine wants to be woken next, and gives that when it is news.
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
