import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// Edge cases in which nothing may be lost: counts, limits, copied files, and transactions.
struct EdgeTests {
  private static let settings = Pomodoro.settings

  private func started(_ rig: Rig = Rig()) -> Rig {
    var rig = rig
    rig.start()
    return rig
  }

  private static func edit(_ name: String, _ value: String) -> SyncMachine.Action {
    .edit(RecordEdit(fields: [name: .set(Scalar.text(value).bytes)]))
  }

  private func set(_ name: String, _ value: String) -> SyncMachine.Event {
    .acted(Self.settings, Self.edit(name, value))
  }

  private func fields(_ rig: Rig) -> [String: String] {
    let fields = rig.zone.records[Self.settings]?.cell.fields ?? []
    return Dictionary(
      uniqueKeysWithValues: fields.map { field in
        guard case .text(let text)? = Scalar(bytes: field.value) else { return (field.name, "") }
        return (field.name, text)
      })
  }

  @Test func `M5, S19: a pomodoro completed long after the timer was set does not change the timer`() {
    var rig = started()
    rig.act(.focus)
    rig.advance(milliseconds: 60_000)
    rig.give(.acted(Pomodoro.timer, .edit(Pomodoro.completing(1))))
    rig.advance(milliseconds: 60_000)
    rig.give(.acted(Pomodoro.timer, .edit(Pomodoro.newDay)))
    rig.advance(milliseconds: 1000)
    let cell = rig.zone.records[Pomodoro.timer]?.cell
    #expect(cell?.entries.count == 1)
    #expect(rig.zone.completed == 0)
    #expect(TimerStateRecord(cell: rig.machine.view(of: Pomodoro.timer))?.state.kind == .focus)
  }

  @Test func `F12, M1: a timer set offline keeps its time if a pomodoro is completed later`() throws {
    var rig = started()
    rig.give(.switched(online: false))
    let set = rig.now
    rig.act(.focus)
    rig.advance(milliseconds: 4000)
    rig.give(.acted(Pomodoro.timer, .edit(Pomodoro.completing(1))))
    rig.give(.switched(online: true))
    rig.advance(milliseconds: 2000)
    let record = try #require(rig.zone.records[Pomodoro.timer].flatMap { TimerStateRecord(cell: $0.cell) })
    #expect(record.timestamp == set)
    #expect(record.completedPomodoros == 1)
  }

  @Test func `F12, M9: an older offline edit loses to a newer edit, even if other offline edits follow it`() {
    var (mac, phone) = (started(), started(Rig(replica: Replica(device: DeviceID(stem: "phone", random: 2)))))
    mac.give(.switched(online: false))
    mac.give(set("theme", "1"))
    phone.now += 10_000
    phone.give(set("theme", "2"))
    phone.advance(milliseconds: 1000)
    mac.advance(milliseconds: 20_000)
    mac.give(set("sound", "3"))
    mac.zone = phone.zone
    mac.give(.switched(online: true))
    mac.advance(milliseconds: 5000)
    #expect(fields(mac) == ["theme": "2", "sound": "3"])
  }

  @Test(arguments: [
    edit("big", String(repeating: "x", count: RecordLimits.valueBytes)), edit(String(repeating: "n", count: 129), ""),
    .edit(RecordEdit(fields: Dictionary(uniqueKeysWithValues: (0...256).map { ("f\($0)", .set([1])) }))),
  ])
  func `an action over a limit is refused`(_ action: SyncMachine.Action) {
    let rig = started()
    #expect(rig.machine.refusal(of: action, on: Self.settings) != nil)
  }

  @Test func `an action at every limit is accepted, and an action that exceeds the limits of its record is refused`() {
    var rig = started()
    let long = String(repeating: "x", count: RecordLimits.valueBytes - 1)
    let largest = Self.edit(String(repeating: "n", count: 128), long)
    #expect(rig.machine.refusal(of: largest, on: Self.settings) == nil)
    for number in 0..<3 { rig.give(set("f\(number)", long)) }
    rig.advance(milliseconds: 2000)
    #expect(fields(rig).count == 3)
    #expect(rig.machine.refusal(of: Self.edit("f3", long), on: Self.settings)?.contains("at most 65536") == true)
    // A smaller value is always accepted.
    #expect(rig.machine.refusal(of: Self.edit("f2", ""), on: Self.settings) == nil)
    let state = TimerState(kind: .focus, extra: Array(repeating: 32, count: 4096)).edit()
    #expect(rig.machine.refusal(of: .edit(state), on: Pomodoro.timer)?.contains("at most 4096") == true)
  }

  @Test func `V20: a saved change that exceeds a limit of this version is parked, and other changes are sent`()
    throws
  {
    var rig = started()
    rig.give(.switched(online: false))
    // The change is passed directly to the machine, because an earlier version accepted it.
    rig.give(set("big", String(repeating: "x", count: 17_000)))
    rig.act(.focus)
    var again = Rig(replica: try #require(try Replica(stored: rig.disk)))
    let parked = again.machine.status(atMilliseconds: again.now).parked
    #expect(parked.map(\.key) == [Self.settings])
    #expect(parked.first?.reason.contains("17001 bytes, at most 16384") == true)
    again.start()
    again.advance(milliseconds: 2000)
    #expect(again.zone.records[Pomodoro.timer] != nil)
    again.give(.discarded(position: try #require(parked.first).position))
    #expect(again.machine.replica.outbox.isEmpty)
    #expect(again.machine.view(of: Self.settings).fields.isEmpty)
  }

  @Test func `V15, M1: a device that continues under a new name describes itself under that name only`() throws {
    var one = started()
    one.give(set("before", "0"))
    one.advance(milliseconds: 1000)
    var other = Rig(replica: try #require(try Replica(stored: one.disk)), seed: 2)
    one.give(set("a", "1"))
    one.advance(milliseconds: 1000)
    func name(_ rig: Rig) -> RecordKey { DeviceInfo.key(of: rig.machine.replica.device) }
    let old = name(other)
    other.give(.acted(old, Self.edit("platform", "linux")))
    (other.zone, other.now) = (one.zone, one.now)
    other.start()
    other.advance(milliseconds: 2000)
    #expect(name(other) != old)
    #expect(other.machine.replica.outbox.isEmpty)
    #expect(other.zone.records[name(other)] != nil)
    #expect(other.zone.records[old] == nil)
  }

  @Test func `V15, M1: two devices with copies of one file lose no change and get different names`() throws {
    for seed in 0..<20 as Range<Int64> {
      var one = started()
      one.give(set("before", "0"))
      one.advance(milliseconds: 1000)
      var other = Rig(replica: try #require(try Replica(stored: one.disk)), seed: 2)
      other.zone = one.zone
      other.now = one.now
      other.start()
      for number in 0..<6 as Range<Int64> {
        one.give(set("a\(number)", "1"))
        one.advance(milliseconds: 400)
        other.zone = one.zone
        other.now = one.now
        other.give(set("b\(number)", "2"))
        other.advance(milliseconds: (seed * 37 + number * 91) % 700)
        one.zone = other.zone
        one.now = other.now
      }
      for _ in 0..<4 {
        one.give(.foregrounded)
        one.advance(milliseconds: 2000)
        other.zone = one.zone
        other.now = one.now
        other.give(.foregrounded)
        other.advance(milliseconds: 2000)
        one.zone = other.zone
        one.now = other.now
      }
      #expect(fields(one).count == 13, "seed \(seed)")
      #expect(one.machine.replica.device != other.machine.replica.device, "seed \(seed)")
    }
  }

  @Test func `V15: a change that may have reached the server is not modified by later actions`() {
    var rig = started()
    rig.act(.focus, completed: 1)
    rig.advance(milliseconds: 1000)
    rig.holds = true
    rig.act(.breakTime, completed: 1)
    // The request reaches the server, but the response is lost.
    for (_, request) in rig.held {
      if case .commit(let operations, _) = request { _ = try? rig.zone.commit(operations, serverMilliseconds: rig.now) }
    }
    rig.held = []
    rig.holds = false
    rig.advance(milliseconds: 500)
    rig.act(.idle, completed: 1)
    rig.advance(milliseconds: 20_000)
    #expect(rig.machine.replica.device == Rig.device)
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.zone.completed == 3)
    #expect(!rig.notices.contains { if case .renamed = $0 { true } else { false } })
  }

  @Test func `V20: a retried change keeps its original number`() throws {
    var rig = started()
    let info = RecordKey(type: DeviceInfo.collection, name: "other")
    rig.give(.acted(info, Self.edit("platform", "linux")))
    rig.advance(milliseconds: 1000)
    rig.act(.focus)
    rig.advance(milliseconds: 1000)
    let parked = try #require(rig.machine.status(atMilliseconds: rig.now).parked.first)
    rig.give(.retried(position: parked.position))
    #expect(rig.commits.last?.first?.key == info)
    if case .write(let write) = rig.commits.last?.first?.change { #expect(write.dot.number == 1) }
  }

  @Test func `a device whose state loses outside the conflict window reports that the last writer won`() {
    var rig = started()
    rig.give(.switched(online: false))
    rig.act(.focus)
    rig.advance(milliseconds: 30_000)
    rig.commitElsewhere(.idle)
    rig.give(.switched(online: true))
    rig.advance(milliseconds: 2000)
    #expect(rig.notices.contains(.changed(Pomodoro.timer, remote: true, rule: .lww)))
    #expect(!rig.notices.contains(.changed(Pomodoro.timer, remote: true, rule: .causal)))
  }

  @Test func `S43: a fetch delayed by the budget is reported, and happens later without another notification`() {
    var settings = Rig.plain
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    rig.give(.channelSigned(rig.machine.openChannelNumber, .alive))
    for _ in 0..<90 {
      rig.act()
      rig.advance(milliseconds: 1000)
    }
    rig.commitElsewhere(.breakTime)
    let channel = rig.machine.openChannelNumber
    rig.give(.channelSigned(channel, .notification(rig.zone.cursor)))
    rig.advance(milliseconds: 10)
    rig.commitElsewhere(.idle, number: 2)
    rig.give(.channelSigned(channel, .notification(rig.zone.cursor)))
    let status = rig.machine.status(atMilliseconds: rig.now)
    #expect((status.staleUntilMilliseconds ?? 0) > rig.now)
    #expect(rig.notices.contains { if case .stale = $0 { true } else { false } })
    rig.advance(milliseconds: 181_000)
    let phone = DeviceID(stem: "phone", random: 9)
    #expect(rig.machine.replica.confirmed[Pomodoro.timer]?.cell.context[phone] == 2)
    #expect(rig.machine.status(atMilliseconds: rig.now).staleUntilMilliseconds == nil)
  }

  @Test func `waiting changes are sent as soon as the channel reports that the server's store has recovered`() {
    var settings = Rig.plain
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    rig.give(.channelSigned(rig.machine.openChannelNumber, .notification(rig.zone.cursor)))
    rig.error = .storage("away")
    rig.act()
    rig.advance(milliseconds: 90_000)
    #expect(!rig.machine.replica.outbox.isEmpty)
    rig.error = nil
    rig.give(.channelSigned(rig.machine.openChannelNumber, .recovered(rig.zone.cursor)))
    rig.advance(milliseconds: 500)
    #expect(rig.machine.replica.outbox.isEmpty)
  }
}
