import SyncCore
import SyncEngine
import SyncPomodoro
import SyncRecords

/// The server in the simulated world: a zone, who listens, and the oracle's notes of what it took.
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
  /// Whether the zone has ever gone back, so that the oracle's list is no longer the whole truth.
  var hasGoneBack = false
  /// The highest number of each device that a record contains, by the zone's number of its change, for all that someone
  /// may still read.
  var contents: [RecordKey: [Int64: [Int64]]] = [:]
  /// The numbers of the writes that the server took, of each device.
  private(set) var taken: [Set<Int64>]
  private let devices: [DeviceID: Int]
  private let schema: RecordSchema
  /// Parts of writes that bear another time than that at which the user acted, in words.
  var misdated: [String] = []
  /// What the server took twice, in words.
  var repeated: [String] = []

  init(seed: UInt64, devices: [DeviceID], policy: any MergePolicy, schema: RecordSchema) {
    zone = ZoneState(generation: seed | 1, policy: policy)
    oracle = Oracle(schema)
    taken = Array(repeating: [], count: devices.count)
    self.schema = schema
    self.devices = Dictionary(uniqueKeysWithValues: devices.enumerated().map { ($1, $0) })
  }

  /// Makes the changes and notes what was taken; `log` says what the author of each write had seen, `known` what the
  /// sender of a whole cell knows.
  mutating func commit(
    _ operations: [Operation], heard: Cursor?, now: Int64, log: ActLog, known: [RecordKey: [Int64]]
  ) throws(BackendError) -> CommitReply {
    var latest: [RecordKey: [Int64]] = [:]
    for key in Set(operations.map(\.key)) {
      latest[key] = zone.records[key].flatMap { contents[key]?[$0.sequence] }
    }
    let reply = try zone.commit(operations, heard: heard, serverMilliseconds: now)
    for (operation, result) in zip(operations, reply.results) {
      guard case .committed(_, let sequence, let stamps) = result else { continue }
      var content = latest[operation.key] ?? Array(repeating: 0, count: devices.count)
      switch operation.change {
      case .write(let write):
        if let device = devices[write.dot.device] { content[device] = max(content[device], write.dot.number) }
        take(write.restamped(stamps), operation.key, log)
      case .join:
        for (device, number) in (known[operation.key] ?? []).enumerated() {
          content[device] = max(content[device], number)
        }
      case .retire, .seen: break
      }
      latest[operation.key] = content
      contents[operation.key, default: [:]][sequence] = content
    }
    return reply
  }

  private mutating func take(_ write: Write, _ key: RecordKey, _ log: ActLog) {
    guard let device = devices[write.dot.device], key.type != ZoneRules.type else { return }
    if !taken[device].insert(write.dot.number).inserted { repeated.append("\(write.dot) was taken twice") }
    if let record = write.record {
      guard let act = log.act(of: device, number: write.dot.number) else { return }
      check(write.stamp, "the write", of: act, write.dot)
      oracle.take(
        RecordAct(
          device: device, name: write.dot.device.name, number: write.dot.number, stamp: write.stamp,
          incarnation: record.incarnation, act: act))
      return
    }
    oracle.take(write.tally, key: key)
    if let payload = write.payload, let state = try? TimerState(payload: payload),
      let act = log.last(of: device, upTo: write.dot.number, where: { $0.key == key && $0.setsState })
    {
      check(write.stamp, "the state", of: act, write.dot)
      oracle.take(
        .init(
          device: device, name: write.dot.device.name, number: write.dot.number, milliseconds: write.milliseconds,
          counter: write.counter, state: state, past: act.past), key: key)
    }
    for change in write.fields {
      let stamp = write.stamp(of: change)
      if let act = log.last(
        of: device, upTo: write.dot.number, where: { $0.key == key && $0.fields.contains(change.name) })
      {
        check(stamp, change.name, of: act, write.dot)
      }
      oracle.take(field: change.name, change.value, stamp: stamp, key: key)
    }
  }

  /// Clocks are known to half a round trip, and what its author had seen may be that much later.
  private static let toleranceMilliseconds: Int64 = 5000

  private mutating func check(_ stamp: Stamp, _ part: String, of act: ActLog.Act, _ dot: Dot) {
    let error = stamp.milliseconds - Simulation.epochMilliseconds - act.milliseconds
    if abs(error) > Self.toleranceMilliseconds {
      misdated.append("\(part) of \(dot) bears a time \(error) ms from that of the act")
    }
  }

  /// Goes back to the last copy; opened again, it begins a new incarnation with its next change, or at once where that
  /// is said.
  mutating func goBack(generation: UInt64, isAnnounced: Bool, staysOpen: Bool) {
    guard let backup else { return }
    zone = backup
    if isAnnounced { zone.begin(generation: generation) } else if !staysOpen { zone.reopen(generation: generation) }
    hasGoneBack = true
    for index in listeners.indices { listeners[index].fetched = -1 }
  }
}
