import SyncCore

// Data of one store must not be sent to another. Before a response is used or anything is sent, the store that
// responded is compared with the store of the device's data.
extension SyncMachine {
  /// Compares the store of a page with the store of this data. Returns false if the page must be ignored.
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

  /// Binds data without a store to the store of a complete fetch. Returns false if the data belongs to another store.
  mutating func adopts(_ page: ChangePage, _ now: Int64) -> Bool {
    if replica.binding.store != nil { return true }
    // The fetch succeeded, so the history of this store contains the cursor that was received earlier.
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

  /// Handles a response from another store. Nothing is sent to it unless the settings allow merging with other stores.
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
  /// True if this replica contains neither data of a store nor actions of a user. A schema's rules and the device's own
  /// description are the same everywhere and do not count.
  package var holdsNothing: Bool {
    confirmed.isEmpty && heard == nil
      && !outbox.contains { $0.key.type != ZoneRules.type && $0.key.type != DeviceInfo.collection }
  }

  /// True if a record of another store contains a change that this device knows from its own store. A schema's rules
  /// are the same in every store and do not count.
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
