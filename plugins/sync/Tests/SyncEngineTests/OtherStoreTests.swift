import SyncCore
import SyncPomodoro
import Testing

@testable import SyncEngine

/// Data of one store must not be sent to another store.
struct OtherStoreTests {
  private static let home = StorePlace(address: "home")
  private static let away = StorePlace(address: "away")

  private static func settings(_ place: StorePlace, merges: Bool = false) -> SyncSettings {
    var settings = Rig.plain
    settings.place = place
    settings.mergesOtherStores = merges
    return settings
  }

  /// Returns a zone in the store of other users, with their timer.
  private static func otherZone() -> ZoneState {
    var rig = Rig()
    rig.zone = ZoneState(generation: 9, store: StoreIdentity(number: 2))
    _ = try? rig.zone.commit(Pomodoro.naming(atMilliseconds: Rig.start), serverMilliseconds: Rig.start)
    rig.commitElsewhere(.breakTime)
    return rig.zone
  }

  /// Returns a device that has used its store and has an unsent change.
  private func used() -> Rig {
    var rig = Rig(settings: Self.settings(Self.home))
    rig.start()
    rig.act(.focus)
    rig.advance(milliseconds: 5000)
    rig.error = .unreachable("away")
    rig.act(.snooze)
    rig.advance(milliseconds: 5000)
    rig.error = nil
    return rig
  }

  private func opened(
    _ rig: Rig, at place: StorePlace, _ zone: ZoneState, merges: Bool = false,
    change: (inout [String: [UInt8]]) -> Void = { _ in }
  ) throws -> Rig {
    var disk = rig.disk
    change(&disk)
    let replica = try #require(try Replica(stored: disk))
    var next = Rig(settings: Self.settings(place, merges: merges), replica: replica)
    (next.zone, next.disk, next.now) = (zone, disk, rig.now)
    next.start()
    next.advance(milliseconds: 60_000)
    return next
  }

  /// Converts saved data to the format of a version that did not record stores.
  private static func old(_ disk: inout [String: [UInt8]]) {
    disk[Replica.storeKey] = nil
    disk["identity"]?[0] = 5
  }

  private func wasRefused(_ rig: Rig, by zone: ZoneState) -> Bool {
    rig.machine.pausedBecause == .otherStore(zone.store) && rig.commits.isEmpty && rig.zone.cursor == zone.cursor
      && rig.machine.replica.outbox.waitingCount == 1
  }

  @Test func `a device sends nothing to another store and does not show its content`() throws {
    let other = Self.otherZone()
    let rig = try opened(used(), at: Self.away, other)
    #expect(wasRefused(rig, by: other))
    #expect(rig.shown == .snooze)
    #expect(rig.machine.status(atMilliseconds: rig.now).pause?.code == "other-store")
  }

  @Test func `another store at the address of the device's own store is refused`() throws {
    let other = Self.otherZone()
    #expect(wasRefused(try opened(used(), at: Self.home, other), by: other))
  }

  @Test func `a device sends its waiting changes when it reaches its own store again`() throws {
    let before = used()
    let away = try opened(before, at: Self.away, Self.otherZone())
    let back = try opened(away, at: Self.home, before.zone)
    #expect(back.machine.pausedBecause == nil)
    #expect(back.machine.replica.outbox.waitingCount == 0)
    #expect(back.zone.records[Pomodoro.timer]?.cell.entries.count == 1)
  }

  @Test func `a device recognizes its store at another address`() throws {
    let before = used()
    let moved = try opened(before, at: Self.away, before.zone)
    #expect(moved.machine.replica.outbox.waitingCount == 0)
    #expect(moved.machine.replica.binding.belongs(at: Self.away))
    #expect(moved.machine.replica.binding.belongs(at: Self.home))
  }

  @Test func `a store restored from a backup is recognized as the same store`() throws {
    var before = used()
    let backup = before.zone
    before.commitElsewhere(.breakTime)
    before.advance(milliseconds: 400_000)
    var restored = backup
    restored.reopen(generation: 77)
    let back = try opened(before, at: Self.home, restored)
    #expect(back.machine.pausedBecause == nil)
    #expect(back.machine.replica.outbox.waitingCount == 0)
  }

  @Test func `a device set to merge sends its changes to another store and adopts that store's identity`() throws {
    let other = Self.otherZone()
    let merged = try opened(used(), at: Self.away, other, merges: true)
    #expect(merged.machine.pausedBecause == nil)
    #expect(merged.machine.replica.binding.store == other.store)
    #expect(merged.machine.replica.outbox.waitingCount == 0)
    #expect(merged.zone.records[Pomodoro.timer]?.cell.context.count == 2)
  }

  @Test func `a change made before the first contact is sent only to the store at the same address`() throws {
    var rig = Rig(settings: Self.settings(Self.home))
    rig.error = .unreachable("away")
    rig.start()
    rig.act(.focus)
    let other = Self.otherZone()
    #expect(wasRefused(try opened(rig, at: Self.away, other), by: other))
    let home = try opened(rig, at: Self.home, other)
    #expect(home.machine.replica.binding.store == other.store)
    #expect(home.machine.replica.outbox.waitingCount == 0)
  }

  @Test func `a device without data uses the first store that it reaches`() throws {
    var rig = Rig(settings: Self.settings(Self.home))
    rig.error = .unreachable("away")
    rig.start()
    let other = Self.otherZone()
    #expect(try opened(rig, at: Self.away, other).machine.replica.binding.store == other.store)
  }

  @Test func `the file of an earlier version is bound to a store whose history contains its position`() throws {
    let before = used()
    let now = try opened(before, at: Self.away, before.zone, change: Self.old)
    #expect(now.machine.replica.binding.store == before.zone.store)
    #expect(now.machine.replica.outbox.waitingCount == 0)
    #expect(now.disk["identity"]?.first == Replica.storageFormat)
  }

  @Test func `the file of an earlier version is bound to a store that contains only one of its changes`() throws {
    let before = used()
    var zone = before.zone
    zone.begin(generation: 78)
    let now = try opened(before, at: Self.away, zone, change: Self.old)
    #expect(now.machine.replica.binding.store == zone.store)
    #expect(now.machine.replica.outbox.waitingCount == 0)
  }

  @Test func `a device with a file of an earlier version refuses a store without its position or changes`() throws {
    let other = Self.otherZone()
    let now = try opened(used(), at: Self.away, other, change: Self.old)
    #expect(wasRefused(now, by: other))
    #expect(now.shown == .snooze)
  }

  @Test func `a device checks the store's identity again after the connection was lost`() {
    var rig = used()
    let other = Self.otherZone()
    let sent = rig.commits.count
    rig.zone = other
    rig.advance(milliseconds: 60_000)
    #expect(rig.machine.pausedBecause == .otherStore(other.store))
    #expect(rig.commits.count == sent)
    #expect(rig.zone.cursor == other.cursor)
  }

  @Test func `after a channel has closed, nothing is sent before the store's identity is checked`() {
    var settings = Self.settings(Self.home)
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    rig.give(.channelSigned(rig.machine.openChannelNumber, .notification(rig.zone.cursor)))
    rig.give(.channelClosed(rig.machine.openChannelNumber, .unreachable("gone")))
    #expect(!rig.machine.isStoreConfirmed)
    let compared = rig.pulls
    rig.act(.focus)
    #expect(rig.pulls == compared + 1)
    #expect(rig.commits.count == 1)
    for _ in 0..<100 where !rig.machine.isListening(on: rig.machine.openChannelNumber) { rig.advance(milliseconds: 50) }
    let other = StoreIdentity(number: 2)
    rig.give(.channelClosed(rig.machine.openChannelNumber, .otherStore(other)))
    #expect(rig.machine.pausedBecause == .otherStore(other))
  }

  @Test func `a new device sends its change even if its first request was lost while its channel opened`() {
    var settings = Self.settings(Self.home)
    settings.usesChannel = true
    var rig = Rig(settings: settings)
    rig.start()
    rig.holds = true
    rig.act(.focus)
    rig.advance(milliseconds: 1500)
    #expect(!rig.machine.isStoreConfirmed)
    (rig.holds, rig.held) = (false, [])
    rig.give(.channelSigned(rig.machine.openChannelNumber, .notification(rig.zone.cursor)))
    rig.advance(milliseconds: 2000)
    #expect(rig.machine.isListening(on: rig.machine.openChannelNumber))
    #expect(rig.machine.replica.outbox.waitingCount == 0)
  }

  @Test func `saved data about stores is read unchanged, and reading damaged bytes throws an error`() throws {
    var binding = StoreBinding()
    binding.store = .drawn()
    binding.note(nil, at: Self.home)
    binding.note(binding.store, at: StorePlace(address: "https://sync.example.com", account: "ada"))
    #expect(try StoreBinding(packed: binding.packed()) == binding)
    #expect(throws: PackingError.self) { try StoreBinding(packed: Array(binding.packed().dropLast(3))) }
    #expect(throws: PackingError.self) { try StoreBinding(packed: [3, 120, 121, 122]) }
  }
}
