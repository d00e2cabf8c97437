import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// Pauses in which a device sends nothing: their reasons and their ends.
struct PauseTests {
  private func connected() -> Rig {
    var settings = Rig.plain
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    rig.give(.channelSigned(channel(rig) ?? 0, .alive))
    return rig
  }

  /// The number of the channel that is open or being opened.
  private func channel(_ rig: Rig) -> Int? { (1...200).last { rig.machine.isListening(on: $0) } }

  private func pause(_ rig: Rig) -> SyncPause? { rig.machine.status(atMilliseconds: rig.now).pause }

  /// Fails all requests until the pauses are long. At the end, a change is waiting and the channel is being opened.
  private func cutOff(_ rig: inout Rig, _ error: BackendError) throws {
    rig.error = error
    rig.give(.channelClosed(channel(rig) ?? 0, error))
    rig.act()
    rig.advance(milliseconds: 400_000)
    for _ in 0..<1000 {
      rig.advance(milliseconds: 500)
      let until = pause(rig)?.untilMilliseconds ?? 0
      if until > rig.now + 2000, channel(rig) != nil { return }
    }
    throw Stuck()
  }

  private struct Stuck: Error {}

  @Test func `waiting changes are sent immediately when the channel opens again`() throws {
    var rig = connected()
    try cutOff(&rig, .unreachable("down"))
    rig.error = nil
    rig.commitElsewhere(.snooze)
    #expect(rig.machine.replica.outbox.count == 1)
    rig.give(.channelSigned(try #require(channel(rig)), .notification(rig.zone.cursor)))
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.machine.replica.cursor == rig.zone.cursor)
    #expect(pause(rig) == nil)
  }

  @Test
  func `V18: if requests fail although the channel opens, each opening causes at most two requests`()
    throws
  {
    var rig = connected()
    try cutOff(&rig, .unreachable("down"))
    for _ in 0..<5 {
      let sent = rig.requests.count
      rig.give(.channelSigned(try #require(channel(rig)), .notification(rig.zone.cursor)))
      #expect((1...2).contains(rig.requests.count - sent))
      rig.give(.channelClosed(try #require(channel(rig)), .unreachable("down")))
      rig.advance(milliseconds: 300)
    }
    #expect(try #require(pause(rig)).untilMilliseconds ?? 0 > rig.now)
  }

  @Test func `V19: opening a channel, going online and restarting do not end a pause requested by the server`()
    throws
  {
    var rig = connected()
    rig.give(.channelClosed(try #require(channel(rig)), .unreachable("down")))
    rig.commitError = .rateLimited(retryAfterMilliseconds: 600_000)
    rig.act()
    rig.commitError = nil
    let sent = rig.requests.count
    let end = rig.now + 600_000
    rig.advance(milliseconds: 10_000)
    rig.give(.channelSigned(try #require(channel(rig)), .alive))
    rig.give(.switched(online: false))
    rig.give(.switched(online: true))
    #expect(rig.machine.replica.outbox.count == 1)
    #expect(rig.commits.count == 1)
    #expect(pause(rig)?.untilMilliseconds == end)
    let replica = try #require(try Replica(stored: rig.disk))
    let disk = rig.disk
    var again = Rig(replica: replica)
    (again.now, again.zone, again.disk) = (rig.now, rig.zone, disk)
    again.start()
    again.advance(milliseconds: end - again.now - 1)
    #expect(again.requests.isEmpty)
    again.advance(milliseconds: 2000)
    #expect(again.machine.replica.outbox.isEmpty)
    #expect(rig.requests.count - sent <= 1)
  }

  @Test func `setting the clock back does not prolong a pause requested by the server`() throws {
    var rig = Rig()
    rig.start()
    rig.error = .rateLimited(retryAfterMilliseconds: 600_000)
    rig.act()
    var again = Rig(replica: try #require(try Replica(stored: rig.disk)))
    again.zone = rig.zone
    again.now -= 86_400_000
    again.start()
    #expect(again.requests.count > 0)
  }

  @Test func `the reason and the end of a pause are saved, and are removed after a success`() throws {
    var rig = Rig()
    rig.start()
    #expect(rig.disk["pause"] == nil)
    rig.error = .rateLimited(retryAfterMilliseconds: 7000)
    rig.act()
    let replica = try #require(try Replica(stored: rig.disk))
    let seen = try #require(SyncStatus(of: replica, atMilliseconds: rig.now + 1000).pause)
    #expect(seen == pause(rig))
    #expect(seen.code == "rate-limited")
    #expect(seen.reason == "too many requests; try again in 7 s")
    #expect(seen.untilMilliseconds == rig.now + 7000)
    #expect(seen.isActive(atMilliseconds: rig.now + 6999) && !seen.isActive(atMilliseconds: rig.now + 7000))
    rig.error = nil
    rig.advance(milliseconds: 8000)
    #expect(rig.disk["pause"] == nil)
    #expect(pause(rig) == nil)
  }

  @Test func `a pause caused by an invalid token has no end time, and the next run tries again`() throws {
    var rig = Rig()
    rig.start()
    rig.error = .notAuthenticated("the token does not open the zone 'PomodoroZone'")
    rig.act()
    let replica = try #require(try Replica(stored: rig.disk))
    let seen = try #require(SyncStatus(of: replica, atMilliseconds: rig.now).pause)
    #expect(seen.code == "not-authenticated" && seen.untilMilliseconds == nil)
    #expect(seen.isActive(atMilliseconds: rig.now + 1_000_000_000))
    var again = Rig(replica: replica)
    again.zone = rig.zone
    again.start()
    again.advance(milliseconds: 1000)
    #expect(again.machine.replica.outbox.isEmpty)
    #expect(pause(again) == nil)
  }

  @Test func `D2: a used-up budget is reported, with the time of the next probe`() throws {
    var rig = Rig()
    rig.start()
    for _ in 0..<200 {
      rig.act()
      rig.advance(milliseconds: 1000)
    }
    let seen = try #require(pause(rig))
    #expect(seen.code == "budget-used")
    #expect(seen.reason == "the budget of 100 requests an hour and 1000000 bytes a day is used up")
    #expect(try #require(seen.untilMilliseconds) > rig.now)
  }

  @Test func `a damaged record of a pause is reported as an error`() throws {
    var rig = Rig()
    rig.start()
    rig.error = .timedOut
    rig.act()
    let whole = try #require(rig.disk["pause"])
    for length in 1..<whole.count {
      var disk = rig.disk
      disk["pause"] = Array(whole.prefix(length))
      #expect { try Replica(stored: disk) } throws: { error in
        guard case .corrupt(key: "pause", reason: _)? = error as? ReplicaError else { return false }
        return true
      }
    }
  }

  @Test func `a long reason for a pause is truncated between two characters`() throws {
    var rig = Rig()
    rig.start()
    rig.error = .unreachable(String(repeating: "wörter ", count: 1000))
    rig.act()
    let seen = try #require(try Replica(stored: rig.disk)?.pause)
    #expect(seen.reason.utf8.count <= 1000 && seen.reason.hasSuffix("…"))
  }
}
