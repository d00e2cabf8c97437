import SyncCore
import SyncPomodoro
import Testing

/// The decisions that every backend makes in its transactions (M2, M12).
struct ArbiterTests {
  private let timers = ZoneRules(collection: "timers", texts: Pomodoro.schema.collection("timers")?.rules.texts ?? [:])
  private let settings = ZoneRules(
    collection: "settings", texts: Pomodoro.schema.collection("settings")?.rules.texts ?? [:])
  private let mac = Histories.devices[0]
  private let phone = Histories.devices[1]
  private let now: Int64 = 1_704_628_800_000

  private func focus(_ device: DeviceID, at milliseconds: Int64, number: Int64 = 1) -> Write {
    Write(
      timer: Dot(device: device, number: number), milliseconds: milliseconds,
      state: TimerState(kind: .focus, remainingMilliseconds: 60_000))
  }

  private func decide(_ write: Write, stored: SyncRecord? = nil, expected: Int64? = nil) -> Arbiter.Decision {
    Arbiter.decide(
      RecordOperation(
        key: Pomodoro.timer, expectedVersion: expected ?? stored?.version ?? 0, change: .write(write)),
      stored: stored, rules: timers, serverMilliseconds: now)
  }

  private func record(_ write: Write) throws -> SyncRecord {
    guard case .store(let cell, _) = decide(write) else { throw PackingError.truncated(at: 0, reading: "") }
    return SyncRecord(key: Pomodoro.timer, version: 1, sequence: 1, cell: cell)
  }

  @Test func `V24, M2: a stamp is at most a second ahead of the server`() {
    guard case .store(let cell, let stamp) = decide(focus(mac, at: now + 600_000)) else {
      Issue.record("not stored")
      return
    }
    #expect(stamp?.milliseconds == now + 1000)
    #expect(cell.horizonMilliseconds == now + 1000)
  }

  @Test func `V15, M12: a conflict does not return a record that its failed transaction would have stored`() throws {
    var batch = ArbiterBatch(serverMilliseconds: now)
    let operations = [0, 1, 7].map { (expected: Int64) in
      RecordOperation(
        key: Pomodoro.timer, expectedVersion: expected,
        change: .write(focus(mac, at: now + expected, number: expected + 1)), group: 1)
    }
    var cell = Cell()
    cell.apply(
      Write(
        dot: Dot(device: mac, number: 9), milliseconds: now,
        fields: timers.texts.map { .init(name: $0.key, value: Array($0.value.utf8)) }), windowMilliseconds: 0)
    let rules = SyncRecord(key: ZoneRules.key(of: "timers"), version: 1, sequence: 1, cell: cell)
    let outcomes = try batch.decide(
      operations, read: { $0 == ZoneRules.key(of: "timers") ? rules : nil }, count: { _ in 0 }, taken: { _ in .no })
    #expect(outcomes.map(\.decision) == [.conflict, .conflict, .conflict])
    #expect(outcomes.map(\.stored) == [nil, nil, nil])
  }

  @Test func `V11, M2: a write's stamp is later than any that its author has seen, even with a slow clock`() throws {
    let stored = try record(focus(mac, at: now))
    var slow = focus(phone, at: now - 60_000)
    slow.seen = stored.cell.latestStamp
    slow.context = stored.cell.context
    guard case .store(let cell, let stamp) = decide(slow, stored: stored) else {
      Issue.record("not stored")
      return
    }
    #expect(try #require(stamp).isLater(than: try #require(slow.seen)))
    #expect(cell.entries.map(\.dot) == [slow.dot])
  }

  @Test func `a device that claims to have seen a future stamp gets the time of the stored stamp`() throws {
    let stored = try record(focus(mac, at: now - 2000))
    var liar = focus(phone, at: now - 3000)
    liar.seen = Stamp(milliseconds: now + 10_000_000, counter: 0, device: mac)
    guard case .store(_, let stamp) = decide(liar, stored: stored) else {
      Issue.record("not stored")
      return
    }
    #expect(stamp?.milliseconds == now - 2000)
  }

  @Test func `M12: an operation conflicts if its expected version is lower or higher than the stored one`() throws {
    let stored = try record(focus(mac, at: now))
    #expect(decide(focus(phone, at: now), stored: stored, expected: 0) == .conflict)
    #expect(decide(focus(phone, at: now), stored: stored, expected: 2) == .conflict)
    #expect(decide(focus(phone, at: now), stored: nil, expected: 1) == .conflict)
  }

  @Test func `M4: a write that the cell already contains changes nothing`() throws {
    let stored = try record(focus(mac, at: now))
    #expect(decide(focus(mac, at: now), stored: stored) == .unchanged)
  }

  @Test func `M1: a different write with a number already in use is a conflict and is never acknowledged`() throws {
    let stored = try record(focus(mac, at: now, number: 5))
    #expect(decide(focus(mac, at: now + 500, number: 5), stored: stored) == .conflict)
    #expect(decide(focus(mac, at: now, number: 4), stored: stored) == .conflict)
  }

  @Test func `new devices replace retired devices and devices that have been silent for 90 days`() throws {
    var record = SyncRecord(key: Pomodoro.timer, version: 1, sequence: 1, cell: Cell())
    for index in 1...64 {
      let device = DeviceID(stem: "device", random: UInt32(index))
      let day = index == 7 ? 91 * 86_400_000 : 0 as Int64
      guard case .store(let cell, _) = decide(focus(device, at: now - day), stored: record) else {
        Issue.record("device \(index)")
        return
      }
      record.cell = cell
    }
    func newcomer(_ index: UInt32) -> Arbiter.Decision {
      decide(focus(DeviceID(stem: "device", random: index), at: now), stored: record)
    }
    guard case .store(let cell, _) = newcomer(65) else {
      Issue.record("the place of the silent device is not free")
      return
    }
    record.cell = cell
    #expect(newcomer(66) == .refused(.tooManyDevices))
    let retirement = Arbiter.decide(
      RecordOperation(
        key: Pomodoro.timer, expectedVersion: 1, change: .retire(DeviceID(stem: "device", random: 3))),
      stored: record, rules: nil, serverMilliseconds: now)
    guard case .store(let retired, nil) = retirement else {
      Issue.record("\(retirement)")
      return
    }
    record.cell = retired
    #expect(try Cell(packed: retired.packed()) == retired)
    guard case .store = newcomer(66) else {
      Issue.record("the place of the retired device is not free")
      return
    }
  }

  @Test(arguments: [
    (Write.FieldChange(name: "a", value: Array(repeating: 1, count: 16_385)), "16385 bytes, at most 16384"),
    (Write.FieldChange(name: String(repeating: "n", count: 129), value: []), "129 bytes, at most 128"),
    (Write.FieldChange(name: "", value: []), "has no name"),
  ])
  func `a field over a limit or without a name is refused`(_ change: Write.FieldChange, _ message: String) {
    let write = Write(dot: Dot(device: mac, number: 1), milliseconds: now, fields: [change], record: RecordWrite())
    let decision = Arbiter.decide(
      RecordOperation(key: Pomodoro.settings, expectedVersion: 0, change: .write(write)), stored: nil, rules: settings,
      serverMilliseconds: now)
    guard case .refused(.invalid(let problem)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(problem.contains(message))
  }

  @Test func `a cell returned by a device is refused if it violates a rule for writes`() {
    var state = Cell()
    state.apply(focus(mac, at: now), windowMilliseconds: 5000)
    var rubbish = Cell()
    rubbish.apply(
      Write(dot: Dot(device: mac, number: 1), milliseconds: now, payload: [77, 1], record: RecordWrite()),
      windowMilliseconds: 5000)
    let devices = Pomodoro.schema.withDevices.collection("devices")?.rules
    var info = Cell()
    info.apply(
      Write(
        dot: Dot(device: mac, number: 1), milliseconds: now,
        fields: [.init(name: "device-name", value: Scalar.text("A").bytes)], record: RecordWrite()),
      windowMilliseconds: 5000)
    let cases = [
      (RecordKey(type: "CD_TimerState", name: "timer"), nil, state), (Pomodoro.timer, timers, rubbish),
      (Pomodoro.timer, timers, Cell()), (Pomodoro.settings, settings, state),
      (RecordKey(type: "devices", name: phone.name), devices, info),
    ]
    for (key, rules, cell) in cases {
      let decision = Arbiter.decide(
        RecordOperation(key: key, expectedVersion: 0, change: .join(cell)), stored: nil, rules: rules,
        serverMilliseconds: now
      )
      guard case .refused = decision else {
        Issue.record("\(key): \(decision)")
        continue
      }
    }
  }

  @Test func `the rule of a collection is not used as the rule of a field with the same name`() {
    let rules = ZoneRules(collection: "notes", texts: [ZoneRules.keysName: "string newest", "title": "string newest"])
    for (field, isField) in [("title", true), (ZoneRules.keysName, false)] {
      let write = Write(
        dot: Dot(device: mac, number: 1), milliseconds: now,
        fields: [.init(name: field, value: Scalar.text("A").bytes)], record: RecordWrite())
      let decision = Arbiter.decide(
        RecordOperation(key: RecordKey(type: "notes", name: "newest"), expectedVersion: 0, change: .write(write)),
        stored: nil, rules: rules, serverMilliseconds: now)
      if case .store = decision { #expect(isField) } else { #expect(!isField, "\(decision)") }
    }
  }

  @Test func `the 64th device is accepted and the 65th is refused`() {
    var record = SyncRecord(key: Pomodoro.timer, version: 1, sequence: 1, cell: Cell())
    for index in 1...65 {
      let device = DeviceID(stem: "device", random: UInt32(index))
      switch decide(focus(device, at: now), stored: record) {
      case .store(let cell, _):
        #expect(index <= 64)
        record.cell = cell
      case .refused(.tooManyDevices): #expect(index == 65)
      case let other: Issue.record("device \(index): \(other)")
      }
    }
    #expect(record.cell.context.count == 64)
  }

  @Test func `a write that would make a record too large is refused, and the error contains the size`() {
    let fields = (0..<5).map { Write.FieldChange(name: "field\($0)", value: Scalar.text(Self.long).bytes) }
    let write = Write(dot: Dot(device: mac, number: 1), milliseconds: now, fields: fields, record: RecordWrite())
    let decision = Arbiter.decide(
      RecordOperation(key: Pomodoro.settings, expectedVersion: 0, change: .write(write)), stored: nil, rules: settings,
      serverMilliseconds: now)
    guard case .refused(.tooLarge(let bytes)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(bytes > RecordLimits.recordBytes)
  }

  private static let long = String(repeating: "x", count: RecordLimits.valueBytes - 1)

  @Test(arguments: [
    ("timers", "timer2", "did you mean 'timer'"), ("CD_TimerState", "timer", "is not a name"),
    ("settings", "settings", "has no state of its own"), ("devices", "other", "may only describe itself"),
    ("clocks", "timer", "the zone has no collection 'clocks'"),
  ])
  func `S7, S10: a write that the rules of the zone do not allow is refused with a reason`(
    _ type: String, _ name: String, _ message: String
  ) {
    let rules = Pomodoro.schema.withDevices.collection(type)?.rules ?? ZoneRules(collection: type, texts: [:])
    let decision = Arbiter.decide(
      RecordOperation(key: RecordKey(type: type, name: name), expectedVersion: 0, change: .write(focus(mac, at: now))),
      stored: nil, rules: rules, serverMilliseconds: now)
    guard case .refused(.invalid(let problem)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(problem.contains(message), "\(problem)")
  }

  @Test func `V23: the stamps of a returned cell are limited to a second ahead of the server`() throws {
    var cell = Cell()
    cell.apply(focus(mac, at: now + 600_000), windowMilliseconds: 5000)
    let decision = Arbiter.decide(
      RecordOperation(key: Pomodoro.timer, expectedVersion: 0, change: .join(cell)), stored: nil, rules: timers,
      serverMilliseconds: now)
    guard case .store(let stored, nil) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(stored.horizonMilliseconds == now + 1000)
    #expect(stored.entries.first?.milliseconds == now + 1000)
  }
}
