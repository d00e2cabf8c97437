import SyncCore
import SyncEngine
import SyncRecords

/// The server in the simulated world: a zone, its watchers, and the oracle with all accepted writes.
struct SimulatedServer {
  struct Listener {
    var device: Int
    var incarnation: Int
    var channel: Int
    var fetched: Int64
    var repeats: Int
  }

  var zone: ZoneState
  var backup: ZoneState?
  var listeners: [Listener] = []
  var oracle: Oracle
  /// True if the zone has ever been restored from a copy. The oracle's data is then incomplete.
  var hasGoneBack = false
  /// The contents of record versions that may still be read: for each version, identified by its sequence number, the
  /// highest contained action number of each device.
  var contents: [RecordKey: [Int64: [Int64]]] = [:]
  /// The numbers of accepted writes, by device.
  private(set) var taken: [Set<Int64>]
  private let devices: [DeviceID: Int]
  /// Messages about writes whose time differs from that of the user's action.
  var misdated: [String] = []
  /// Messages about writes that were accepted twice.
  var repeated: [String] = []
  /// The cloud database that contains the zone. Nil if the server stores the zone itself.
  private(set) var cloud: CloudBehindServer?

  init(_ plan: SimulationPlan, devices: [DeviceID]) {
    let (seed, schema) = (plan.seed, plan.schema)
    zone = ZoneState(generation: seed | 1, store: StoreIdentity(number: seed))
    if plan.backend == .cloudZone {
      let cloud = CloudBehindServer(
        devices: devices.count, store: zone.store, seed: seed, faults: plan.faults.loss > 0 ? 0.05 : 0)
      zone = cloud.emptyZone
      self.cloud = cloud
    }
    oracle = Oracle(schema)
    taken = Array(repeating: [], count: devices.count)
    self.devices = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
  }

  /// Commits operations and records the accepted writes. `log` contains the actions that the author of each write had
  /// seen, and `known` those that a cell returned by the sender contains.
  mutating func commit(
    _ operations: [RecordOperation], heard: Cursor?, from sender: Replica, _ device: Int, now: Int64, log: ActLog,
    known: [RecordKey: [Int64]], isFaulty: Bool
  ) throws(BackendError) -> CommitReply {
    var latest: [RecordKey: [Int64]] = [:]
    for key in Set(operations.map(\.key)) {
      latest[key] = zone.records[key].flatMap { contents[key]?[$0.sequence] }
    }
    let reply: CommitReply
    if cloud == nil {
      reply = try zone.commit(operations, heard: heard, in: sender.binding.store, serverMilliseconds: now)
    } else {
      (reply, zone) = try cloud!.commit(
        operations, heard: heard, store: sender.binding.store, device, now: now, isFaulty: isFaulty)
    }
    for (operation, result) in zip(operations, reply.results) {
      guard case .committed(_, let sequence, let stamp) = result else { continue }
      var content = latest[operation.key] ?? Array(repeating: 0, count: devices.count)
      switch operation.change {
      case .write(let write):
        if let device = devices[write.dot.device] { content[device] = max(content[device], write.dot.number) }
        take(write.restamped(stamp ?? write.stamp), operation.key, log)
      case .join:
        for (device, number) in (known[operation.key] ?? []).enumerated() {
          content[device] = max(content[device], number)
        }
      case .retire: break
      }
      latest[operation.key] = content
      contents[operation.key, default: [:]][sequence] = content
    }
    return reply
  }

  /// Returns the zone as a device currently reads it.
  mutating func zone(for device: Int, now: Int64, isFaulty: Bool) throws(BackendError) -> ZoneState {
    try cloud?.read(device, now: now, isFaulty: isFaulty) ?? zone
  }

  private mutating func take(_ write: Write, _ key: RecordKey, _ log: ActLog) {
    guard let device = devices[write.dot.device], key.type != ZoneRules.type else { return }
    if !taken[device].insert(write.dot.number).inserted { repeated.append("\(write.dot) was taken twice") }
    guard let record = write.record, let act = log.act(of: device, number: write.dot.number) else { return }
    let error = write.milliseconds - Simulation.epochMilliseconds - act.milliseconds
    if abs(error) > Self.toleranceMilliseconds {
      misdated.append("\(write.dot) bears a time \(error) ms from that of the act")
    }
    oracle.take(
      RecordAct(
        device: device, name: write.dot.device.name, number: write.dot.number, stamp: write.stamp,
        incarnation: record.incarnation, act: act))
  }

  /// The largest allowed difference. Clocks are measured to within half a round trip, and stamps that the author had
  /// seen can add as much.
  private static let toleranceMilliseconds: Int64 = 5000

  /// Restores the zone from the last copy, if there is one. If announced, the zone starts a new incarnation
  /// immediately, and otherwise with its next change unless the server `staysOpen`.
  mutating func goBack(generation: UInt64, isAnnounced: Bool, staysOpen: Bool) {
    guard let backup else { return }
    zone = backup
    if isAnnounced { zone.begin(generation: generation) } else if !staysOpen { zone.reopen(generation: generation) }
    hasGoneBack = true
    for index in listeners.indices { listeners[index].fetched = -1 }
  }
}
