import SyncCore

// Data of one store must not reach another: every answer is compared with the store that the device's data belongs to before
// anything of it is used, and nothing is sent before that.
extension SyncMachine {
  /// Compares the store of a page with that of the data here; false if the page cannot be used.
  mutating func meets(_ store: StoreIdentity, _ now: Int64) -> Bool {
    if let known = replica.binding.store {
      if known == store { confirm(store) } else { meetOther(store, now) }
      return known == store
    }
    guard let staged, staged.pages.last?.store != store else { return true }
    // The pages of one fetch are of one store.
    (self.staged, pull.isWanted) = (nil, true)
    return false
  }

  /// Binds data that belongs to no store yet to that of a whole fetch; false if it is of another store.
  mutating func adopts(_ page: ChangePage, _ now: Int64) -> Bool {
    if replica.binding.store != nil { return true }
    // A cursor is good in one store only.
    let isKnown = replica.heard != nil || page.records.contains { replica.holdsChange(of: $0) }
    guard isKnown || replica.holdsNothing || replica.binding.belongs(at: settings.place) else {
      meetOther(page.store, now)
      return false
    }
    replica.bind(to: page.store)
    confirm(page.store)
    return true
  }

  /// The store at the other end is that of the data here.
  mutating func confirm(_ store: StoreIdentity) {
    isStoreConfirmed = true
    replica.noteStore(store, at: settings.place)
  }

  /// Another store has answered: nothing is sent to it unless the app wants the data of both in one.
  mutating func meetOther(_ store: StoreIdentity, _ now: Int64) {
    isStoreConfirmed = false
    replica.noteStore(store, at: settings.place)
    if settings.mergesOtherStores {
      replica.bind(to: store)
      resynchronize()
      channel.notified = nil
    } else {
      staged = nil
      (push.inFlight, pull.inFlight) = (nil, nil)
      pause(.otherStore(store), now)
    }
  }
}

extension Replica {
  /// Whether there is nothing in it that belongs to a store or to a person: the rules of a schema and what a device says of
  /// itself are the same anywhere.
  public var holdsNothing: Bool {
    confirmed.isEmpty && heard == nil
      && !outbox.contains { $0.key.type != ZoneRules.type && $0.key.type != DeviceInfo.collection }
  }

  /// Whether a store's record contains a change that this device has had from its own store. The rules of a schema are the same in
  /// every store that is made from it.
  func holdsChange(of record: SyncRecord) -> Bool {
    guard record.key.type != ZoneRules.type, let known = confirmed[record.key]?.cell.context.seen else { return false }
    return record.cell.context.seen.contains { there in
      there.check != 0 && known.contains { $0.dot == there.dot && $0.check == there.check }
    }
  }

  mutating func bind(to store: StoreIdentity) {
    binding.store = store
    dirty.insert(.store)
  }

  mutating func noteStore(_ store: StoreIdentity?, at place: StorePlace) {
    if binding.meetings.last?.place == place, binding.store(at: place) == store { return }
    binding.note(store, at: place)
    dirty.insert(.store)
  }
}
