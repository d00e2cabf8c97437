import FlowBytes
import SyncCore
import SyncEngine
import SyncPomodoro

/// The machines of several devices that share a zone, with a manual clock. The zone responds immediately.
struct RecordFleet {
  /// A projection without rows. Machines support records of collections only if they have a projection.
  struct Projection: RecordProjection {
    func row(of cell: Cell, key: RecordKey) -> [UInt8]? { nil }
  }

  var machines: [SyncMachine] = []
  var disks: [[String: [UInt8]]] = []
  var zone = ZoneState(generation: 1, store: StoreIdentity(number: 1))
  var now: Int64 = Rig.start
  /// The number of writes that only advance the zone's time.
  private var ticks: Int64 = 0
  /// The devices that cannot reach the zone.
  var isAway: Set<Int> = []

  /// True if the response to the next commit is lost.
  var losesAnswer = false
  /// The devices whose commits the zone refuses as too large.
  var refusesCommits: Set<Int> = []
  /// For each device, the difference between its clock and the zone's clock. A missing device has the zone's clock.
  var skews: [Int: Int64] = [:]
  /// The error that the zone returns for every commit, or nil.
  var commitError: BackendError?
  /// The maximum number of operations per request that a proxy accepts, or nil.
  var mostOperations: Int?
  /// The source of lost requests and responses, or nil for none.
  var losses: SplitMix64?
  /// The writes accepted by the zone.
  private(set) var taken: Set<Dot> = []
  /// The writes fetched by each device.
  private(set) var heard: [Set<Dot>] = []

  private func settings(_ subscription: SyncSubscription?) -> SyncSettings {
    var settings = SyncSettings()
    settings.subscription = subscription
    settings.usesChannel = false
    settings.projection = Projection()
    return settings
  }

  /// Creates devices and declares the rules of the collection `notes`: `likes` is a counter, `tags` is a set, and
  /// `title` is merged by `newest`.
  ///
  /// `parts` contains the title of the notes to which each partial device subscribes. If `skews` is not empty, the zone
  /// is a file and uses the devices' clocks.
  init(_ devices: Int, delete: DeleteRule = .editWins, parts: [Int: Int64] = [:], skews: [Int64] = []) {
    for (device, skew) in skews.enumerated() { self.skews[device] = skew }
    zone.hasDevicesTime = !skews.isEmpty
    for number in 0..<devices {
      add(
        Replica(device: DeviceID(stem: "device", random: UInt32(number + 1))),
        subscription: parts[number].map(Self.part))
    }
    if devices == 0 { return }
    nameRules(0, delete: delete)
    settle()
  }

  mutating func nameRules(_ device: Int, delete: DeleteRule = .editWins) {
    let rules = [
      "likes": "integer counter", "tags": "array:string set", "title": "string newest", "_delete": delete.rawValue,
    ]
    give(device, .acted(ZoneRules.key(of: "notes"), .rules(rules)))
  }

  /// Adds a device with this file, and returns its index.
  @discardableResult mutating func add(
    _ replica: Replica, disk: [String: [UInt8]] = [:], seed: UInt64? = nil, subscription: SyncSubscription? = nil
  ) -> Int {
    let number = machines.count
    machines.append(
      SyncMachine(
        replica: replica, settings: settings(subscription),
        seed: seed ?? UInt64(number + 1)))
    disks.append(disk)
    heard.append([])
    give(number, .started)
    return number
  }

  /// Returns the subscription to the notes with this title.
  static func part(_ title: Int64) -> SyncSubscription { SyncSubscription(["notes": ["title": .text(String(title))]]) }

  /// Restarts a device from its file with another subscription. If `subscription` is nil, the device has the whole
  /// zone.
  mutating func restart(_ device: Int, _ subscription: SyncSubscription?, seed: UInt64? = nil) throws {
    guard let replica = try Replica(stored: disks[device].filter { !$0.key.hasPrefix("journal/") }) else { return }
    machines[device] = SyncMachine(
      replica: replica, settings: settings(subscription),
      seed: seed ?? UInt64(device + 1))
    give(device, .started)
  }

  /// Adds a device with the state of a running one, like a copy of a virtual machine.
  mutating func addTwin(of device: Int) -> Int {
    machines.append(machines[device])
    disks.append(disks[device])
    heard.append(heard[device])
    return machines.count - 1
  }

  static func key(_ name: String) -> RecordKey { RecordKey(type: "notes", name: name) }

  mutating func like(_ device: Int, _ name: String) {
    give(device, .acted(Self.key(name), .edit(RecordEdit(fields: ["likes": .add(1)]))))
  }

  mutating func name(_ device: Int, _ name: String, _ value: Int64) {
    let bytes = Scalar.text(String(value)).bytes
    give(device, .acted(Self.key(name), .edit(RecordEdit(fields: ["title": .set(bytes)]))))
  }

  mutating func likeTogether(_ device: Int, _ names: [String]) {
    give(
      device,
      .transacted(names.map { (Self.key($0), .edit(RecordEdit(fields: ["likes": .add(1)]))) }))
  }

  mutating func delete(_ device: Int, _ name: String) {
    give(device, .acted(Self.key(name), .edit(RecordEdit(isDeletion: true))))
  }

  /// Returns the number of likes of a record on a device, or nil if the record does not exist.
  func likes(_ device: Int, _ name: String) -> Int64? {
    let cell = machines[device].view(of: Self.key(name))
    guard cell.isRecord, !cell.content.isDeleted(by: machines[device].rules(of: "notes").delete) else { return nil }
    return cell.content.part("likes")?.state.total ?? 0
  }

  /// Returns the title of a record on a device, or nil if it has none.
  func title(_ device: Int, _ name: String) -> Int64? {
    let value = machines[device].view(of: Self.key(name)).fields.first { $0.name == "title" }?.value
    if case .text(let text)? = value.flatMap({ Scalar(bytes: $0) }) { return Int64(text) }
    return nil
  }

  /// Returns the number of likes of a record on each device.
  func likes(_ name: String) -> [Int64?] { machines.indices.map { likes($0, name) } }

  var parked: [String] { machines.flatMap { $0.replica.outbox.compactMap(\.parkedBecause) } }

  mutating func give(_ device: Int, _ event: SyncMachine.Event) {
    for effect in machines[device].handle(event, atMilliseconds: now + (skews[device] ?? 0)) {
      switch effect {
      case .save(let changes): for change in changes { disks[device][change.key] = change.value }
      case .send(let number, let request): hear(device, answer(device, number, request))
      case .openChannel, .closeChannel, .tell: break
      }
    }
  }

  private mutating func hear(_ device: Int, _ event: SyncMachine.Event) {
    let (pulls, present) = (machines[device].completedPulls, taken)
    give(device, event)
    if machines[device].completedPulls > pulls { heard[device].formUnion(present) }
  }

  private mutating func isLost() -> Bool { losses.map { _ in losses!.next() % 5 == 0 } ?? false }

  private mutating func answer(
    _ device: Int, _ number: Int, _ request: SyncMachine.Request
  ) -> SyncMachine.Event {
    if isAway.contains(device) || isLost() { return .failed(number, .unreachable("away")) }
    let now = now + (zone.hasDevicesTime ? skews[device] ?? 0 : 0)
    do throws(BackendError) {
      switch request {
      case .commit(let operations, let heard):
        if refusesCommits.contains(device) { throw .tooLarge }
        if let commitError { throw commitError }
        if let mostOperations, operations.count > mostOperations { throw .tooLargeForProxy("status 413") }
        let reply = try zone.commit(operations, heard: heard, serverMilliseconds: now)
        for case (.write(let write), .committed) in zip(operations.map(\.change), reply.results) {
          taken.insert(write.dot)
        }
        defer { losesAnswer = false }
        return losesAnswer || isLost() ? .failed(number, .unreachable("lost")) : .answered(number, .commit(reply))
      case .changes(let since, let limit, let bytes, let reader):
        let page = try zone.changes(
          since: since, limit: limit, maximumBytes: bytes, reader: reader,
          of: machines[device].settings.subscription,
          serverMilliseconds: now)
        return isLost() ? .failed(number, .unreachable("lost")) : .answered(number, .changes(page))
      }
    } catch {
      return .failed(number, error)
    }
  }

  /// Brings all devices to the foreground four times, 20 s apart. Devices that can reach the zone and are not paused
  /// then fetch and send everything.
  mutating func settle() {
    for _ in 0..<4 {
      for device in machines.indices { give(device, .foregrounded) }
      advance(milliseconds: 20_000)
    }
  }

  mutating func advance(milliseconds: Int64) {
    let end = now + milliseconds
    while now < end {
      let wakes = machines.indices.compactMap { device in
        let skew = skews[device] ?? 0
        return machines[device].nextWake(atMilliseconds: now + skew).map { $0 == .max ? $0 : $0 - skew }
      }
      now = min(end, max(now + 1, wakes.min() ?? end))
      for device in machines.indices { give(device, .woke) }
    }
  }

  /// Advances the time until the zone forgets its current deletions. Meanwhile, the devices do nothing.
  mutating func forget() {
    let days = zone.hasDevicesTime ? Array(repeating: 1, count: 92) : [0, 1, ZoneAges.keptDays + 1]
    for days in days {
      now += days * ZoneAges.dayMilliseconds
      tick()
    }
  }

  /// Commits a change to the zone that does not affect the notes.
  mutating func tick() {
    ticks += 1
    let key = RecordKey(type: ZoneRules.type, name: "ticks\(ticks / 200)")
    let write = Write(
      dot: Dot(device: DeviceID(stem: "clock", random: 1), number: ticks), milliseconds: now,
      fields: [.init(name: "tick\(ticks % 200)", value: Array("integer counter".utf8))])
    let reply = try? zone.commit(
      [RecordOperation(key: key, expectedVersion: zone.records[key]?.version ?? 0, change: .write(write))],
      serverMilliseconds: now)
    guard case .committed? = reply?.results.first else { fatalError("a tick is not taken: \(reply as Any)") }
  }

  /// Adds a device that starts with a copy of another device's file, and returns its index.
  mutating func addCopy(of disk: [String: [UInt8]], seed: UInt64) throws -> Int {
    guard let replica = try Replica(stored: disk.filter { !$0.key.hasPrefix("journal/") }) else { return -1 }
    return add(replica, disk: disk, seed: seed)
  }
}
