import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// The engine of one device, tested event by event: saving, sending, limits and errors.
struct MachineTests {
  private func started() -> Rig {
    var rig = Rig()
    rig.start()
    rig.advance(milliseconds: 1000)
    return rig
  }

  // MARK: Layer 1

  @Test func `S3, S14: an action after a pause is saved and then sent immediately`() {
    var rig = started()
    let effects = rig.machine.handle(
      .acted(Pomodoro.timer, .edit(TimerState(kind: .focus).edit())), atMilliseconds: rig.now)
    let kinds = effects.compactMap { effect -> String? in
      switch effect {
      case .save(let changes): "save \(changes.count { $0.key.hasPrefix("outbox/") || $0.key.hasPrefix("journal/") })"
      case .send: "send"
      default: nil
      }
    }
    #expect(kinds == ["save 2", "send"])
  }

  @Test func `S33: ten changes within one second are sent in two commits`() {
    var rig = started()
    for _ in 0..<10 {
      rig.act()
      rig.advance(milliseconds: 100)
    }
    rig.advance(milliseconds: 2000)
    #expect(rig.commits.count == 2)
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.zone.records[Pomodoro.timer]?.version == 10)
  }

  @Test func `S35, M1: actions from ten minutes offline are queued and sent in one request after reconnecting`() {
    var rig = started()
    rig.give(.switched(online: false))
    for kind in [TimerKind.focus, .idle, .breakTime] {
      rig.act(kind, completed: 1)
      rig.advance(milliseconds: 200_000)
    }
    #expect(rig.commits.isEmpty)
    #expect(rig.machine.replica.outbox.count == 3)
    #expect(rig.disk.keys.count { $0.hasPrefix("journal/") } == 3)
    rig.give(.switched(online: true))
    rig.advance(milliseconds: 1000)
    #expect(rig.commits.count == 1)
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.zone.completed == 3)
    #expect(rig.shown == .breakTime)
  }

  @Test func `F12: a change made offline has the time of the action, not the time when it was sent`() throws {
    var rig = started()
    rig.give(.switched(online: false))
    let acted = rig.now
    rig.act()
    rig.advance(milliseconds: 3000)
    rig.commitElsewhere(.idle)
    rig.give(.switched(online: true))
    rig.advance(milliseconds: 100)
    let entries = try #require(rig.zone.records[Pomodoro.timer]).cell.entries
    #expect(entries.first { $0.dot.device == Rig.device }?.milliseconds == acted)
  }

  @Test
  func `M2, V24: an offline action on a device with a wrong clock is stamped with the correct time of the action`()
    throws
  {
    var rig = Rig()
    rig.skew = 600_000
    rig.give(.switched(online: false))
    rig.start()
    let acted = rig.now
    rig.act()
    rig.advance(milliseconds: 60_000)
    rig.give(.switched(online: true))
    rig.advance(milliseconds: 100)
    let entry = try #require(rig.zone.records[Pomodoro.timer]?.cell.entries.first)
    #expect(entry.milliseconds == acted)
  }

  // MARK: Restart

  @Test func `S32, V15: saved actions are sent after a restart`() throws {
    var rig = Rig()
    rig.error = .unreachable("down")
    rig.start()
    rig.act(completed: 1)
    let saved = try #require(try Replica(stored: rig.disk))
    var again = Rig(replica: saved)
    again.start()
    again.advance(milliseconds: 1000)
    #expect(again.zone.completed == 1)
    #expect(again.machine.replica.outbox.isEmpty)
  }

  @Test func `V18: the recorded requests are kept after a restart`() throws {
    var rig = started()
    for _ in 0..<30 {
      rig.act()
      rig.advance(milliseconds: 2000)
    }
    let spent = rig.machine.replica.budget.requests(atMilliseconds: rig.now)
    let saved = try #require(try Replica(stored: rig.disk))
    #expect(saved.budget.requests(atMilliseconds: rig.now) == spent)
    #expect(spent > 30)
  }

  @Test func `a damaged value in the local file is reported with its key`() throws {
    var rig = started()
    rig.act()
    var disk = rig.disk
    disk["record/timers/timer"] = [0, 1, 1, 3, 1, 2]
    #expect {
      try Replica(stored: disk)
    } throws: { error in
      "\(error)".contains("'record/timers/timer'") && "\(error)".contains("left untouched")
    }
    disk = rig.disk
    disk["identity"] = [9]
    #expect(throws: ReplicaError.unsupportedFormat(found: 9, known: Replica.storageFormat)) {
      try Replica(stored: disk)
    }
    disk["identity"] = nil
    #expect(throws: ReplicaError.self) { try Replica(stored: disk) }
    #expect(try Replica(stored: [:]) == nil)
  }

  // MARK: Conflicts

  @Test func `F8, M12: after a conflict, the write is sent again immediately and wins by its priority`() {
    var rig = started()
    rig.commitElsewhere(.idle)
    rig.act(.focus)
    #expect(rig.commits.count == 2)
    #expect(rig.shown == .focus)
    #expect(rig.zone.records[Pomodoro.timer]?.cell.entries.count == 2)
    #expect(rig.machine.replica.statistics.conflicts[.priority] == 1)
  }

  @Test func `M12: five consecutive conflicts are retried immediately, and then the device waits`() throws {
    var rig = started()
    rig.holds = true
    rig.act(.focus)
    let began = rig.now
    for number in 1...40 where rig.now == began {
      guard let one = rig.held.first else { break }
      rig.held = []
      switch one.request {
      case .commit(let operations, _):
        rig.commitElsewhere(.idle, number: Int64(number))
        let reply = try rig.zone.commit(operations, serverMilliseconds: rig.now)
        rig.give(.answered(one.number, .commit(reply)))
      case .changes(let cursor, let limit, let bytes, _):
        let page = try rig.zone.changes(
          since: cursor, limit: limit, maximumBytes: bytes, serverMilliseconds: rig.now)
        rig.give(.answered(one.number, .changes(page)))
      }
    }
    #expect(rig.commits.count == 6)
    #expect(rig.machine.replica.outbox.count == 1)
  }

  @Test func `V15: if an acknowledgement is lost, the change is sent again without effect and is acknowledged`() {
    var rig = started()
    rig.holds = true
    rig.act(.focus, completed: 1)
    guard case .commit(let operations, _)? = rig.held.first?.request else {
      Issue.record("nothing was sent")
      return
    }
    _ = try? rig.zone.commit(operations, serverMilliseconds: rig.now)
    rig.held = []
    rig.holds = false
    rig.advance(milliseconds: 10_000)
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.zone.records[Pomodoro.timer]?.version == 1)
    #expect(rig.zone.completed == 1)
  }

  @Test func `a response after its deadline is ignored`() {
    var rig = started()
    rig.holds = true
    rig.give(.foregrounded)
    let late = rig.held
    rig.advance(milliseconds: 1001)
    #expect(rig.notices.contains(.failed(.timedOut)))
    let before = rig.machine.replica.statistics.lastSuccessMilliseconds
    rig.held = late
    rig.answerHeld()
    #expect(rig.machine.replica.statistics.lastSuccessMilliseconds == before)
  }

  // MARK: Layers 2 and 3

  @Test func `S30: any number of requests to fetch during a fetch cause only one further fetch`() {
    var rig = started()
    let before = rig.pulls
    rig.holds = true
    rig.give(.foregrounded)
    rig.give(.foregrounded)
    rig.give(.foregrounded)
    #expect(rig.pulls == before + 1)
    rig.holds = false
    rig.answerHeld()
    #expect(rig.pulls == before + 2)
  }

  @Test func `F25, S5: without a channel, a device polls every 30 s for the first ten polls and then every minute`() {
    var rig = started()
    let before = rig.pulls
    rig.advance(milliseconds: 300_000)
    #expect((9...10).contains(rig.pulls - before))
    let later = rig.pulls
    rig.advance(milliseconds: 600_000)
    #expect((9...11).contains(rig.pulls - later))
  }

  @Test func `F23, S49: a notification causes a fetch only if the device has not reached its position yet`() {
    var settings = Rig.plain
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    let number = (1...9).first { rig.machine.isListening(on: $0) } ?? 0
    rig.give(.channelSigned(number, .notification(rig.zone.cursor)))
    rig.act()
    let pulls = rig.pulls
    rig.give(.channelSigned(number, .notification(rig.zone.cursor)))
    rig.give(.channelSigned(number, .notification(rig.zone.cursor)))
    #expect(rig.pulls == pulls)
    rig.commitElsewhere(.idle)
    rig.give(.channelSigned(number, .notification(rig.zone.cursor)))
    #expect(rig.pulls == pulls + 1)
    #expect(rig.shown == .idle)
    #expect(rig.notices.contains(.changed(Pomodoro.timer, remote: true, rule: .causal)))
  }

  @Test func `a silent channel is closed`() {
    var settings = Rig.plain
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    let number = (1...9).first { rig.machine.isListening(on: $0) } ?? 0
    rig.give(.channelSigned(number, .alive))
    #expect(rig.notices.contains(.channel(isUp: true)))
    rig.advance(milliseconds: 181_000)
    #expect(rig.notices.contains(.channel(isUp: false)))
    #expect(!rig.machine.isListening(on: number))
  }

  // MARK: Errors

  @Test func `S15: a failure does not change the time of the last success`() {
    var rig = started()
    let before = rig.machine.replica.statistics.lastSuccessMilliseconds
    rig.advance(milliseconds: 5000)
    rig.error = .unreachable("down")
    rig.act()
    #expect(rig.machine.replica.statistics.lastSuccessMilliseconds == before)
    #expect(rig.shown == .focus)
  }

  @Test func `S36, V19: no commit is sent before the time that the server requested`() {
    var rig = started()
    rig.error = .rateLimited(retryAfterMilliseconds: 7000)
    let began = rig.now
    rig.act()
    rig.error = nil
    rig.advance(milliseconds: 60_000)
    let second = rig.requests.first { request in
      if case .commit = request.request { return request.time > began }
      return false
    }
    #expect((second?.time ?? 0) - began >= 7000)
    #expect(rig.machine.replica.outbox.isEmpty)
  }

  @Test func `F31, V20: a change that can never succeed is parked and reported, and is sent again on request`() {
    var rig = started()
    rig.error = .tooLarge
    rig.act()
    #expect(rig.machine.replica.outbox.first?.parkedBecause?.contains("larger than") == true)
    #expect(rig.notices.contains { if case .parked = $0 { true } else { false } })
    rig.error = nil
    rig.advance(milliseconds: 60_000)
    #expect(rig.machine.replica.outbox.count == 1)
    rig.give(.resumed)
    rig.advance(milliseconds: 1000)
    #expect(rig.machine.replica.outbox.isEmpty)
  }

  @Test func `the number of operations in a request is halved each time the server refuses it as too large`() {
    var rig = started()
    rig.commitError = .limitExceeded
    rig.give(.switched(online: false))
    for index in 0..<4 {
      rig.give(
        .acted(Pomodoro.settings, .edit(RecordEdit(fields: ["a\(index)": .set(Scalar.text("1").bytes)]))))
    }
    rig.give(.switched(online: true))
    rig.advance(milliseconds: 20_000)
    #expect(rig.commits.map(\.count).prefix(3) == [4, 2, 1])
  }

  @Test func `a wrong token stops all requests until a person resumes, and the outbox is kept`() {
    var rig = started()
    rig.error = .notAuthenticated("wrong token")
    rig.act()
    let sent = rig.requests.count
    rig.error = nil
    rig.advance(milliseconds: 3_600_000)
    #expect(rig.requests.count == sent)
    #expect(rig.notices.contains(.paused(.notAuthenticated("wrong token"))))
    rig.give(.resumed)
    rig.advance(milliseconds: 1000)
    #expect(rig.machine.replica.outbox.isEmpty)
  }

  // MARK: Degrade

  @Test func `D1: if 90 % of the budget is used, only the timer is sent immediately, and everything else later`() {
    var rig = started()
    for _ in 0..<74 {
      rig.act()
      rig.advance(milliseconds: 1000)
    }
    #expect(rig.notices.contains(.level(.reduced)))
    rig.give(.acted(Pomodoro.settings, .edit(RecordEdit(fields: ["theme": .set(Scalar.text("dark").bytes)]))))
    rig.act(.idle)
    rig.advance(milliseconds: 2000)
    #expect(rig.machine.replica.outbox.map(\.key) == [Pomodoro.settings])
    rig.advance(milliseconds: 5_400_000)
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.notices.last { if case .level = $0 { true } else { false } } == .level(.normal))
  }

  @Test func `D2: if the server's quota is used up, actions are queued and a probe is sent every 15 minutes`() {
    var rig = started()
    rig.error = .quotaExceeded(retryAfterMilliseconds: nil)
    rig.act()
    #expect(rig.notices.contains(.level(.queueOnly)))
    let sent = rig.requests.count
    rig.advance(milliseconds: 3_600_000)
    #expect((3...4).contains(rig.requests.count - sent))
    rig.error = nil
    rig.advance(milliseconds: 1_000_000)
    #expect(rig.machine.replica.outbox.isEmpty)
  }

  @Test func `S36: after a quota error that requests a pause of one hour, nothing is sent for an hour`() {
    var rig = started()
    rig.error = .quotaExceeded(retryAfterMilliseconds: 3_600_000)
    rig.act()
    let sent = rig.requests.count
    rig.advance(milliseconds: 3_599_000)
    #expect(rig.requests.count == sent)
  }
}
