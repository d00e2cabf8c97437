import SyncCore
import SyncEngine

/// A device in the simulated world: a real machine and a disk that survives crashes.
struct SimulatedDevice {
  let id: DeviceID
  let index: Int
  /// The device's clock minus the true time, in milliseconds.
  let skewMilliseconds: Int64
  var machine: SyncMachine
  var disk: [String: [UInt8]] = [:]
  var isUp = false
  /// The number of starts. Events for an earlier start are dropped.
  var incarnation = 0
  /// True if the device connects to the other store.
  var isElsewhere = false
  var elsewhere: Set<Int> = []
  var wakeMilliseconds: Int64?
  /// The number of effects performed since the first start.
  var effects = 0
  /// The actions that this device has seen: for each record, the highest action number of each device.
  var known: [RecordKey: [Int64]] = [:]
  /// For each record, the sequence number of the version whose actions `known` contains.
  var knownSequences: [RecordKey: Int64] = [:]
  /// The transactions of which this device has not seen any part.
  var openTransactions: [Int] = []
  /// The true times of all requests.
  var requestTimes: [Int64] = []
  /// The true times and sizes of all data sent and received.
  var traffic: [(milliseconds: Int64, bytes: Int)] = []
  /// The actions of other devices that have not reached this device.
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

  /// Updates the time when the machine must be woken. Returns the time if it has changed, otherwise nil.
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
