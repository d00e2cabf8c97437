import FlowBytes
import SyncCore
import SyncEngine

/// A device's copy of a zone in a cloud database, with the service's tags of its records. All decisions are made here;
/// ``CloudZoneBackend`` only calls the service.
///
/// A commit is decided on the copy, and the changed records are saved together with the zone's head record. If two
/// devices commit at the same time, the service refuses the second commit because the head's tag has changed. The
/// second device then reads the changes and decides again.
package struct CloudMirror: Sendable {
  /// The zone as known to this device.
  package private(set) var zone: ZoneState
  /// The token up to which the zone has been read, or nil if it must be read from the start.
  package private(set) var token: CloudToken?
  private var tags: [String: CloudTag] = [:]
  private var keys: [String: RecordKey] = [:]
  /// The names of removed parts that are still stored because a modification had no room left to remove them.
  private var leftovers: Set<String> = []

  /// A decided commit, with the changes that must be saved.
  package struct Prepared: Sendable {
    /// The response to the device.
    package let reply: CommitReply
    /// The changes to save, or nil if the commit does not change anything.
    package let modification: CloudModification?
    fileprivate let zone: ZoneState
    fileprivate let leftovers: Set<String>
    fileprivate let headTag: CloudTag?

    /// True if an operation cannot be committed on this copy. It must then be decided again on the latest state.
    package var isDecidedByOthers: Bool {
      reply.results.contains { result in
        if case .committed = result { false } else { true }
      }
    }
  }

  /// Creates the copy of a zone that has not been read yet.
  package init(store: StoreIdentity) { zone = Self.empty(store) }

  /// All devices use the same generation, so the cursor of an empty zone is valid on every device.
  private static func empty(_ store: StoreIdentity) -> ZoneState {
    var hash = FNV1a64()
    hash.add(store.description.utf8)
    var zone = ZoneState(generation: hash.value | 1, store: store)
    zone.hasDevicesTime = true
    return zone
  }

  /// Returns the identity of an account's store. It is the same on all devices and different for each account.
  package static func store(ofAccount account: String) -> StoreIdentity {
    var hash = FNV1a128()
    hash.add(account.utf8)
    let digits = String(hash.value, radix: 16)
    return StoreIdentity(String(repeating: "0", count: StoreIdentity.length - digits.count) + digits)
      ?? StoreIdentity(number: 0)
  }

  /// Discards everything that has been read.
  package mutating func forget() { self = CloudMirror(store: zone.store) }

  /// Adds pages of changes that follow ``token``. If a record is damaged, throws an error and leaves the copy
  /// unchanged.
  package mutating func take(_ pages: [CloudChanges]) throws(BackendError) {
    var copy = self
    do throws(PackingError) {
      for page in pages {
        for record in page.changed { try copy.take(record) }
        for name in page.removed { copy.remove(name) }
        copy.token = page.token
      }
    } catch {
      if case .unsupportedFormat = error { throw .unsupportedFormat("\(error)") }
      throw .storage("the cloud database holds a damaged record: \(error)")
    }
    self = copy
  }

  private mutating func take(_ record: CloudRecord) throws(PackingError) {
    tags[record.name] = record.tag
    if record.name == ZoneState.headName {
      var reader = Unpacker(record.bytes)
      _ = try zone.take(try reader.data("the head", limit: 1 << 24))
      leftovers = []
      for _ in 0..<(try reader.count("the number of leftovers", limit: 1 << 20)) {
        leftovers.insert(try reader.text("a leftover", limit: 256))
      }
      for name in leftovers { drop(name) }
    } else if !leftovers.contains(record.name), let key = try zone.take(record.bytes) {
      keys[record.name] = key
    }
  }

  private mutating func remove(_ name: String) {
    tags[name] = nil
    leftovers.remove(name)
    if name == ZoneState.headName { forget() } else { drop(name) }
  }

  private mutating func drop(_ name: String) {
    if let key = keys.removeValue(forKey: name) { zone.remove(key) }
  }

  /// Decides on a commit and returns the changes to save; see `SyncBackend.commit`.
  package func prepare(
    _ operations: [RecordOperation], heard: Cursor?, store: StoreIdentity?, serverMilliseconds: Int64
  ) throws(BackendError) -> Prepared {
    var next = zone
    let reply = try next.commit(operations, heard: heard, in: store, serverMilliseconds: serverMilliseconds)
    guard next.sequence > zone.sequence else {
      return Prepared(reply: reply, modification: nil, zone: next, leftovers: leftovers, headTag: nil)
    }
    let (parts, gone) = next.parts(changedSince: zone)
    var saved = parts.map { CloudRecord(name: $0.name, bytes: $0.bytes, tag: tags[$0.name]) }
    // A record that is created again is stored under its old name.
    var left = leftovers.union(gone).subtracting(saved.map(\.name))
    let room = max(0, CloudModification.recordLimit - saved.count - 1)
    let removed = Array(left.sorted().prefix(room))
    left.subtract(removed)
    saved.append(CloudRecord(name: ZoneState.headName, bytes: Self.head(next, left), tag: tags[ZoneState.headName]))
    return Prepared(
      reply: reply, modification: CloudModification(saved: saved, removed: removed), zone: next, leftovers: left,
      headTag: tags[ZoneState.headName])
  }

  private static func head(_ zone: ZoneState, _ leftovers: Set<String>) -> [UInt8] {
    var packer = Packer()
    packer.data(zone.packedHead)
    packer.count(leftovers.count)
    for name in leftovers.sorted() { packer.text(name) }
    return packer.bytes
  }

  /// Applies a saved commit, unless this copy has since read a newer head, which already includes the commit.
  package mutating func take(_ prepared: Prepared, saved: CloudModified) {
    guard let modification = prepared.modification, tags[ZoneState.headName] == prepared.headTag else { return }
    let parts = prepared.zone.records
    for key in zone.records.keys where parts[key] == nil { keys[ZoneState.name(of: key)] = nil }
    for key in parts.keys where zone.records[key]?.sequence != parts[key]?.sequence {
      keys[ZoneState.name(of: key)] = key
    }
    zone = prepared.zone
    leftovers = prepared.leftovers
    for name in modification.removed { tags[name] = nil }
    tags.merge(saved.tags) { $1 }
  }
}

extension CloudZoneError {
  /// True if another device has changed one of the records to be saved.
  package var isConflict: Bool {
    guard case .partial(let items) = self else { return false }
    return items.values.contains(.changed)
  }

  /// The error of the sync engine that corresponds to this one.
  package var backendError: BackendError {
    switch self {
    case .partial(let items):
      items.values.contains(.tooLarge)
        ? .tooLarge : .unavailable(Self.text(of: items), retryAfterMilliseconds: 1000)
    case .tokenExpired: .cursorExpired
    case .zoneNotFound: .unavailable("the zone was deleted", retryAfterMilliseconds: 1000)
    case .accountChanged: .unavailable("another person has signed in", retryAfterMilliseconds: 1000)
    case .notAuthenticated: .notAuthenticated("sign in to iCloud in the settings of the device")
    case .throttled(let wait): .rateLimited(retryAfterMilliseconds: wait)
    case .quotaExceeded: .quotaExceeded(retryAfterMilliseconds: nil)
    case .limitExceeded: .limitExceeded
    case .unreachable(let reason): .unreachable(reason)
    case .failed(let reason): .unavailable(reason, retryAfterMilliseconds: 1000)
    }
  }

  private static func text(of items: [String: Item]) -> String {
    let failed = items.sorted { $0.key < $1.key }.lazy.compactMap { _, item in
      if case .failed(let reason) = item { reason } else { nil }
    }
    return failed.first ?? "another device has changed the zone"
  }
}
