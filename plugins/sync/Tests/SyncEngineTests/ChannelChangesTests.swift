import SyncCore
import SyncEngine
import SyncPomodoro
import Testing

/// Changes that arrive on the live channel and need not be fetched.
struct ChannelChangesTests {
  private var rig: Rig
  private var channel: Int { rig.machine.openChannelNumber }

  init() {
    var settings = Rig.plain
    settings.usesChannel = true
    rig = Rig(settings: settings)
    rig.start()
    rig.give(.channelSigned(rig.machine.openChannelNumber, .notification(rig.zone.cursor)))
  }

  /// Commits a change made on another device. Returns it as a message of the channel.
  private mutating func changeElsewhere(_ kind: TimerKind, number: Int64 = 1) throws -> ChannelSign {
    let before = rig.zone.cursor
    rig.commitElsewhere(kind, number: number)
    let page = try rig.zone.changes(since: before, limit: 9, maximumBytes: 9999, serverMilliseconds: rig.now)
    return .changes(page, since: before)
  }

  @Test mutating func `S49: changes that arrive on the channel in order are shown without a request`() throws {
    let (pulls, requests) = (rig.pulls, rig.machine.replica.statistics.requests)
    let signs = [try changeElsewhere(.idle), try changeElsewhere(.breakTime, number: 2)]
    for sign in signs {
      rig.give(.channelSigned(channel, sign))
      // The notification that follows the change contains nothing new.
      rig.give(.channelSigned(channel, .notification(try #require(sign.cursor))))
    }
    #expect(rig.shown == .breakTime)
    #expect(rig.pulls == pulls)
    #expect(rig.machine.replica.statistics.requests == requests)
    #expect(rig.machine.replica.cursor == rig.zone.cursor)
    #expect(rig.notices.filter { $0 == .changed(Pomodoro.timer, remote: true, rule: nil) }.count == 2)
  }

  @Test mutating func `changes after a gap on the channel are fetched, and receiving them again has no effect`() throws
  {
    _ = try changeElsewhere(.idle)
    let (pulls, sign) = (rig.pulls, try changeElsewhere(.breakTime, number: 2))
    rig.give(.channelSigned(channel, sign))
    #expect(rig.pulls == pulls + 1)
    #expect(rig.shown == .breakTime)
    let notices = rig.notices
    rig.give(.channelSigned(channel, sign))
    #expect(rig.notices == notices)
    #expect(rig.pulls == pulls + 1)
  }

  @Test(arguments: [0, 1] as [UInt64])
  mutating func `a notification that was damaged in transit causes one fetch`(generation: UInt64) throws {
    let pulls = rig.pulls
    let cursor = rig.zone.cursor
    let damaged = Cursor(generation: cursor.generation + generation, sequence: cursor.sequence + 1_000_000)
    rig.give(.channelSigned(channel, .notification(damaged)))
    rig.advance(milliseconds: 10_000)
    #expect(rig.pulls == pulls + 1)
    // Later changes are received as before.
    rig.give(.channelSigned(channel, try changeElsewhere(.idle)))
    #expect(rig.shown == .idle)
    rig.commitElsewhere(.breakTime, number: 2)
    rig.give(.channelSigned(channel, .notification(rig.zone.cursor)))
    #expect(rig.shown == .breakTime)
    #expect(rig.pulls == pulls + 2)
  }

  @Test mutating func `changes received on the channel during a commit are applied only after its response`() throws {
    let sign = try changeElsewhere(.idle)
    rig.holds = true
    rig.act(.focus)
    rig.give(.channelSigned(channel, sign))
    #expect(rig.machine.replica.cursor != rig.zone.cursor)
    rig.holds = false
    rig.answerHeld()
    rig.advance(milliseconds: 1000)
    #expect(rig.machine.replica.outbox.isEmpty)
    #expect(rig.machine.replica.cursor == rig.zone.cursor)
  }
}
