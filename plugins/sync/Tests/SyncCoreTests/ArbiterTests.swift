import SyncCore
import SyncPomodoro
import Testing

/// What every backend decides inside its transaction (M2, M12).
@Suite struct ArbiterTests {
  private let policy = PomodoroPolicy()
  private let mac = Histories.devices[0]
  private let phone = Histories.devices[1]
  private let now: Int64 = 1_704_628_800_000

  private func focus(_ device: DeviceID, at milliseconds: Int64, number: Int64 = 1) -> Write {
    Write(
      dot: Dot(device: device, number: number), milliseconds: milliseconds,
      payload: TimerState(kind: .focus, remainingMilliseconds: 60_000).payload)
  }

  private func decide(_ write: Write, stored: Record? = nil, expected: Int64? = nil) -> Arbiter.Decision {
    Arbiter.decide(
      Operation(
        key: PomodoroPolicy.timer, expectedVersion: expected ?? stored?.version ?? 0, change: .write(write)),
      stored: stored, policy: policy, serverMilliseconds: now)
  }

  private func record(_ write: Write) throws -> Record {
    guard case .store(let cell, _) = decide(write) else { throw PackingError.truncated(at: 0, reading: "") }
    return Record(key: PomodoroPolicy.timer, version: 1, sequence: 1, cell: cell)
  }

  @Test func `V24 M2: a stamp is at most a second ahead of the server`() {
    guard case .store(let cell, let stamp) = decide(focus(mac, at: now + 600_000)) else {
      Issue.record("not stored")
      return
    }
    #expect(stamp?.milliseconds == now + 1000)
    #expect(cell.horizonMilliseconds == now + 1000)
  }

  @Test func `V11 M2: a write is later than what its author had seen, whatever its clock says`() throws {
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

  @Test func `what an author claims to have seen lifts its stamp no higher than what is stored`() throws {
    let stored = try record(focus(mac, at: now - 2000))
    var liar = focus(phone, at: now - 3000)
    liar.seen = Stamp(milliseconds: now + 10_000_000, counter: 0, device: mac)
    guard case .store(_, let stamp) = decide(liar, stored: stored) else {
      Issue.record("not stored")
      return
    }
    #expect(stamp?.milliseconds == now - 2000)
  }

  @Test func `M12: another version than expected is a conflict, in both directions`() throws {
    let stored = try record(focus(mac, at: now))
    #expect(decide(focus(phone, at: now), stored: stored, expected: 0) == .conflict)
    #expect(decide(focus(phone, at: now), stored: stored, expected: 2) == .conflict)
    #expect(decide(focus(phone, at: now), stored: nil, expected: 1) == .conflict)
  }

  @Test func `M4: a write that is in the cell already changes nothing`() throws {
    let stored = try record(focus(mac, at: now))
    #expect(decide(focus(mac, at: now + 500), stored: stored) == .unchanged)
  }

  @Test func `the 65th device is refused, the 64th is not`() {
    var record = Record(key: PomodoroPolicy.timer, version: 1, sequence: 1, cell: Cell())
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

  @Test func `a cell larger than the limit is refused with its size`() {
    let fields = (0..<5).map { Write.FieldChange(name: "field\($0)", value: [UInt8](repeating: 7, count: 4096)) }
    let write = Write(dot: Dot(device: mac, number: 1), milliseconds: now, fields: fields)
    let decision = Arbiter.decide(
      Operation(key: PomodoroPolicy.settings, expectedVersion: 0, change: .write(write)), stored: nil, policy: policy,
      serverMilliseconds: now)
    guard case .refused(.tooLarge(let bytes)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(bytes > Cell.maximumPackedBytes)
  }

  @Test(arguments: [
    ("CD_TimerState", "timer2", "did you mean 'timer'"), ("CD_Timer", "timer", "it has CD_TimerState, CD_Settings"),
    ("CD_Settings", "settings", "holds a state"), ("CD_DeviceInfo", "other", "may only describe itself"),
  ])
  func `S7 S10 bad input: a record that is not the zone's is refused by name`(
    _ type: String, _ name: String, _ message: String
  ) {
    let decision = Arbiter.decide(
      Operation(key: RecordKey(type: type, name: name), expectedVersion: 0, change: .write(focus(mac, at: now))),
      stored: nil, policy: policy, serverMilliseconds: now)
    guard case .refused(.invalid(let problem)) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(problem.contains(message))
  }

  @Test func `S8: a device's platform is one of those that are known`() {
    let fields = [Write.FieldChange(name: "platform", value: Array("BeOS".utf8))]
    let write = Write(dot: Dot(device: mac, number: 1), milliseconds: now, fields: fields)
    let key = RecordKey(type: PomodoroPolicy.deviceInfoType, name: mac.name)
    #expect(policy.problem(with: write, for: key) == "platform is 'BeOS', allowed are macOS, iOS, linux")
  }

  @Test func `V23: a joined cell is clamped like a write`() throws {
    var cell = Cell()
    cell.apply(focus(mac, at: now + 600_000), windowMilliseconds: policy.windowMilliseconds)
    let decision = Arbiter.decide(
      Operation(key: PomodoroPolicy.timer, expectedVersion: 0, change: .join(cell)), stored: nil, policy: policy,
      serverMilliseconds: now)
    guard case .store(let stored, nil) = decision else {
      Issue.record("\(decision)")
      return
    }
    #expect(stored.horizonMilliseconds == now + 1000)
    #expect(stored.entries.first?.milliseconds == now + 1000)
  }
}
