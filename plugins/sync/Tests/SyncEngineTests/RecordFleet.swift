import SyncCore
import SyncEngine
import SyncPomodoro

/// Machines of several devices in front of one zone that answers at once, on a hand-turned clock.
struct RecordFleet {
  /// Shows nothing; with it, a machine knows records of collections.
  struct Projection: RecordProjection {
    func row(of cell: Cell, key: RecordKey) -> [UInt8]? { nil }
  }

  var machines: [SyncMachine] = []
  var disks: [[String: [UInt8]]] = []
  var zone = ZoneState(generation: 1, policy: PomodoroPolicy())
  var now: Int64 = Rig.start
  /// Who cannot reach the zone.
  var isAway: Set<Int> = []

  /// Whether devices say how far they have read.
  let isTelling: Bool

  private var settings: SyncSettings {
    var settings = SyncSettings()
    settings.tellsWhatItHasSeen = isTelling
    settings.usesChannel = false
    settings.projection = Projection()
    return settings
  }

  /// Devices that know the rules of one collection, `notes`: `likes` is a counter, `title` the newest.
  init(_ devices: Int, delete: DeleteRule = .editWins, isTelling: Bool = true) {
    self.isTelling = isTelling
    for number in 0..<devices { add(Replica(device: DeviceID(stem: "device", random: UInt32(number + 1)))) }
    let rules = ["likes": "integer counter", "title": "string newest", "_delete": delete.rawValue]
    let fields = rules.map { Write.FieldChange(name: $0.key, value: Array($0.value.utf8)) }
    give(0, .acted(ZoneRules.key(of: "notes"), .init(fields: fields)))
    settle()
  }

  /// One more device, with this in its file; gives its number.
  @discardableResult mutating func add(_ replica: Replica, seed: UInt64? = nil) -> Int {
    let number = machines.count
    machines.append(
      SyncMachine(
        replica: replica, policy: PomodoroPolicy(), settings: settings, seed: seed ?? UInt64(number + 1)))
    disks.append([:])
    give(number, .started)
    return number
  }

  static func key(_ name: String) -> RecordKey { RecordKey(type: "notes", name: name) }

  mutating func like(_ device: Int, _ name: String) {
    give(device, .acted(Self.key(name), .init(record: RecordEdit(fields: ["likes": .add(1)]))))
  }

  mutating func delete(_ device: Int, _ name: String) {
    give(device, .acted(Self.key(name), .init(record: RecordEdit(isDeletion: true))))
  }

  /// How often a record is liked as a device shows it; nil when it is not there.
  func likes(_ device: Int, _ name: String) -> Int64? {
    let cell = machines[device].view(of: Self.key(name))
    guard cell.isRecord, !cell.content.isDeleted(by: machines[device].rules(of: "notes").delete) else { return nil }
    return cell.content.part("likes")?.state.total ?? 0
  }

  /// What all devices show.
  func likes(_ name: String) -> [Int64?] { machines.indices.map { likes($0, name) } }

  var parked: [String] { machines.flatMap { $0.replica.outbox.compactMap(\.parkedBecause) } }

  mutating func give(_ device: Int, _ event: SyncMachine.Event) {
    for effect in machines[device].handle(event, atMilliseconds: now) {
      switch effect {
      case .save(let changes): for change in changes { disks[device][change.key] = change.value }
      case .send(let number, let request): give(device, answer(device, number, request))
      case .openChannel, .closeChannel, .tell: break
      }
    }
  }

  private mutating func answer(
    _ device: Int, _ number: Int, _ request: SyncMachine.Request
  ) -> SyncMachine.Event {
    if isAway.contains(device) { return .failed(number, .unreachable("away")) }
    do throws(BackendError) {
      switch request {
      case .commit(let operations):
        return .answered(number, .commit(try zone.commit(operations, serverMilliseconds: now)))
      case .changes(let since, let limit, let bytes):
        return .answered(
          number,
          .changes(try zone.changes(since: since, limit: limit, maximumBytes: bytes, serverMilliseconds: now)))
      }
    } catch {
      return .failed(number, error)
    }
  }

  /// Lets everybody fetch and send until nobody has anything to do.
  mutating func settle() {
    for _ in 0..<4 {
      for device in machines.indices { give(device, .foregrounded) }
      advance(milliseconds: 20_000)
    }
  }

  mutating func advance(milliseconds: Int64) {
    let end = now + milliseconds
    while now < end {
      let wakes = machines.compactMap { $0.nextWake(atMilliseconds: now) }
      now = min(end, max(now + 1, wakes.min() ?? end))
      for device in machines.indices { give(device, .woke) }
    }
  }

  /// A device that begins with what another one had in its file.
  mutating func addCopy(of disk: [String: [UInt8]], seed: UInt64) throws -> Int {
    guard let replica = try Replica(stored: disk.filter { !$0.key.hasPrefix("journal/") }) else { return -1 }
    return add(replica, seed: seed)
  }
}
