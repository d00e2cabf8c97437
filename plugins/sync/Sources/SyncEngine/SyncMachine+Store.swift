import SyncCore

// Data of one store must not be sent to another. The store of every response is compared with the store of the device's
// data before the response is used, and nothing is sent before that.
extension SyncMachine {
  /// Compares the store of a page with the store of this data. Returns false if the page cannot be used.
  mutating func meets(_ store: StoreIdentity, _ now: Int64) -> Bool {
    if let known = replica.binding.store {
      if known == store { confirm(store) } else { meetOther(store, now) }
      return known == store
    }
    guard let staged, staged.pages.last?.store != store else { return true }
    // All pages of one fetch must come from the same store.
    (self.staged, pull.isWanted) = (nil, true)
    return false
  }

  /// Binds unbound data to the store of a complete fetch. Returns false if the data belongs to another store.
  mutating func adopts(_ page: ChangePage, _ now: Int64) -> Bool {
    if replica.binding.store != nil { return true }
    // A cursor is valid in one store only.
    let isKnown = replica.heard != nil || page.records.contains { replica.holdsChange(of: $0) }
    guard isKnown || replica.holdsNothing || replica.binding.belongs(at: settings.place) else {
      meetOther(page.store, now)
      return false
    }
    replica.bind(to: page.store)
    confirm(page.store)
    return true
  }

  /// Records that the connected store is the store of this data.
  mutating func confirm(_ store: StoreIdentity) {
    isStoreConfirmed = true
    replica.noteStore(store, at: settings.place)
  }

  /// Handles a response from another store. Nothing is sent to that store unless the settings merge the data of both.
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
  /// True if nothing here belongs to a store or a person. A schema's rules and the device's own description are the
  /// same everywhere and do not count.
  package var holdsNothing: Bool {
    confirmed.isEmpty && heard == nil
      && !outbox.contains { $0.key.type != ZoneRules.type && $0.key.type != DeviceInfo.collection }
  }

  /// True if a record of a store contains a change that this device knows from its own store. A schema's rules are the
  /// same in every store and do not count.
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
