import SyncCore
import SyncEngine
import Synchronization

/// A backend that stores zones in a cloud database such as CloudKit, which can only save records and return changes.
///
/// ```swift
/// let backend = CloudZoneBackend(zones: ["Notes": CloudKitZone(container: .default(), zone: "Notes")])
/// ```
public actor CloudZoneBackend: SyncBackend {
  /// The maximum number of attempts to commit or read while other devices change the zone.
  static let attempts = 50

  private let zones: [String: any CloudZone]
  private var mirrors: [String: CloudMirror] = [:]
  private var store: StoreIdentity?
  private let clock: any SyncClock
  /// The service's clock minus this device's clock.
  private var aheadMilliseconds: Int64 = 0
  private let pollMilliseconds: Int64
  private let watchers = Mutex<[Int: AsyncStream<Void>.Continuation]>([:])
  private var last: Task<Void, Never>?

  /// Creates a backend with zones by name. Watched zones are checked for changes once a minute and when ``notice()`` is
  /// called.
  public init(zones: [String: any CloudZone]) { self.init(zones: zones, clock: SystemClock()) }

  /// Creates a backend that uses `clock` and checks watched zones every `pollMilliseconds`.
  @_disfavoredOverload
  package init(
    zones: [String: any CloudZone], clock: any SyncClock = SystemClock(), pollMilliseconds: Int64 = 60_000
  ) {
    self.zones = zones
    self.clock = clock
    self.pollMilliseconds = pollMilliseconds
  }

  /// Checks all watched zones for changes. Call it when a silent push reports that a zone has changed.
  public nonisolated func notice() {
    for continuation in watchers.withLock({ Array($0.values) }) { continuation.yield() }
  }

  // MARK: SyncBackend

  /// Commits operations; see `SyncBackend`.
  public func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    try await inTurn { (backend) async throws(BackendError) in
      try await backend.commitNow(operations, zone, heard, store)
    }
  }

  /// Returns changes; see `SyncBackend`.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    let mirror = try await inTurn { (backend) async throws(BackendError) in try await backend.read(zone) }
    return try mirror.zone.changes(
      since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription, in: store,
      serverMilliseconds: serverNow)
  }

  /// Returns a stream that reports changes to the zone; see `SyncBackend`.
  public nonisolated func watch(
    zone: String, device: DeviceID, store: StoreIdentity?
  ) -> AsyncThrowingStream<ChannelSign, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: ChannelSign.self, bufferingPolicy: .bufferingNewest(1))
    let (ticks, tick) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = watchers.withLock { watchers in
      let number = (watchers.keys.max() ?? 0) + 1
      watchers[number] = tick
      return number
    }
    let timer = Task { [clock, pollMilliseconds] in
      while !Task.isCancelled {
        tick.yield()
        try? await clock.sleep(untilMilliseconds: clock.nowMilliseconds() + pollMilliseconds)
      }
    }
    let task = Task { [clock] in
      do {
        var (seen, lastSign): (Cursor?, Int64) = (nil, clock.nowMilliseconds())
        for await _ in ticks {
          let mirror = try await inTurn { (backend) async throws(BackendError) in try await backend.read(zone) }
          try mirror.zone.require(store)
          if mirror.zone.cursor != seen {
            seen = mirror.zone.cursor
            continuation.yield(.notification(mirror.zone.cursor))
            lastSign = clock.nowMilliseconds()
          } else if clock.nowMilliseconds() - lastSign >= SyncLimits.keepAliveMilliseconds {
            continuation.yield(.alive)
            lastSign = clock.nowMilliseconds()
          }
        }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { [weak self] _ in
      timer.cancel()
      task.cancel()
      tick.finish()
      self?.watchers.withLock { _ = $0.removeValue(forKey: number) }
    }
    return stream
  }

  /// Returns the identity of the store, which is derived from the account.
  public func identity() async throws(BackendError) -> StoreIdentity {
    if let store { return store }
    guard let zone = zones.values.first else { throw .zoneMissing("") }
    do {
      let identity = CloudMirror.store(ofAccount: try await zone.account())
      store = identity
      return identity
    } catch {
      throw error.backendError
    }
  }

  /// Returns the service's time, estimated from its last response.
  public func serverTime() async throws(BackendError) -> Int64 { serverNow }

  private var serverNow: Int64 { clock.nowMilliseconds() + aheadMilliseconds }

  // MARK: The service

  private func commitNow(
    _ operations: [RecordOperation], _ name: String, _ heard: Cursor?, _ store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    let zone = try zone(name)
    // The first attempt uses the local copy without reading changes from the service.
    let known = mirrors[name].flatMap { $0.token == nil ? nil : $0 }
    var isFresh = known == nil
    var mirror = if let known { known } else { try await read(name) }
    for _ in 0..<Self.attempts {
      let prepared: CloudMirror.Prepared
      do throws(BackendError) {
        prepared = try mirror.prepare(operations, heard: heard, store: store, serverMilliseconds: serverNow)
      } catch {
        if isFresh { throw error }
        (mirror, isFresh) = (try await read(name), true)
        continue
      }
      if !isFresh, prepared.isDecidedByOthers {
        (mirror, isFresh) = (try await read(name), true)
        continue
      }
      guard let modification = prepared.modification else { return prepared.reply }
      do throws(CloudZoneError) {
        let saved = try await zone.modify(modification)
        note(saved.serverMilliseconds)
        mirror.take(prepared, saved: saved)
        mirrors[name] = mirror
        return prepared.reply
      } catch {
        try await recover(from: error, name)
        (mirror, isFresh) = (try await read(name), true)
      }
    }
    throw .unavailable("other devices change the zone all the time", retryAfterMilliseconds: 1000)
  }

  /// Prepares another attempt after an error. Throws if another attempt would fail, too.
  private func recover(from error: CloudZoneError, _ name: String) async throws(BackendError) {
    switch error {
    case .partial where error.isConflict: break
    case .tokenExpired, .zoneNotFound: mirrors[name]?.forget()
    case .accountChanged: try await changeAccount()
    default: throw error.backendError
    }
  }

  /// Discards the copies of all zones after another user has signed in, because they belong to the previous user.
  private func changeAccount() async throws(BackendError) {
    store = nil
    mirrors = [:]
    _ = try await identity()
  }

  /// Reads the changes since the last call and returns the updated copy.
  private func read(_ name: String) async throws(BackendError) -> CloudMirror {
    let zone = try zone(name)
    for _ in 0..<Self.attempts {
      let identity = try await identity()
      var mirror = mirrors[name] ?? CloudMirror(store: identity)
      var pages: [CloudChanges] = []
      do throws(CloudZoneError) {
        repeat {
          pages.append(try await zone.changes(since: pages.last?.token ?? mirror.token))
        } while pages.last?.hasMore == true
      } catch .zoneNotFound {
        // The first commit creates the zone.
        mirror.forget()
        mirrors[name] = mirror
        return mirror
      } catch {
        try await recover(from: error, name)
        continue
      }
      if let page = pages.last { note(page.serverMilliseconds) }
      try mirror.take(pages)
      mirrors[name] = mirror
      return mirror
    }
    throw .unavailable("the zone cannot be read", retryAfterMilliseconds: 1000)
  }

  private func zone(_ name: String) throws(BackendError) -> any CloudZone {
    guard let zone = zones[name] else { throw .zoneMissing(name) }
    return zone
  }

  private func note(_ serverMilliseconds: Int64) { aheadMilliseconds = serverMilliseconds - clock.nowMilliseconds() }

  /// Runs one request at a time. Concurrent requests of one device would only conflict with each other.
  private func inTurn<Value: Sendable>(
    _ body: @escaping @Sendable (CloudZoneBackend) async throws(BackendError) -> Value
  ) async throws(BackendError) -> Value {
    let before = last
    let task = Task { () async -> Result<Value, BackendError> in
      await before?.value
      do throws(BackendError) { return .success(try await body(self)) } catch { return .failure(error) }
    }
    last = Task { _ = await task.value }
    return try await task.value.get()
  }
}
