import SyncCore

/// A backend in memory. It is the reference for all other backends, and a server for tests.
public actor MemoryBackend: SyncBackend {
  private var zones: [String: ZoneState]
  private let store: StoreIdentity
  private let clock: any SyncClock
  private let notifications = NotificationHub()

  /// Creates empty zones with these names in a new store.
  public init(zones: [String]) { self.init(zones: zones, clock: SystemClock()) }

  /// Creates empty zones with these names in the given store, by default a new one.
  @_disfavoredOverload
  package init(zones: [String], store: StoreIdentity = .drawn(), clock: any SyncClock = SystemClock()) {
    self.clock = clock
    self.store = store
    self.zones = [:]
    for zone in zones { self.zones[zone] = ZoneState(generation: .random(in: 1 ... .max), store: store) }
  }

  /// Commits operations; see `SyncBackend`.
  public func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    // The state is removed from the dictionary while it changes. Otherwise the change would copy it.
    guard var state = zones.removeValue(forKey: zone) else { throw .zoneMissing(zone) }
    defer { zones[zone] = state }
    let before = state.sequence
    let reply = try state.commit(
      operations, heard: heard, in: store, serverMilliseconds: clock.nowMilliseconds())
    if state.sequence > before { notifications.publish(state.cursor, zone: zone) }
    return reply
  }

  /// Returns changes; see `SyncBackend`.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    guard let state = zones[zone] else { throw .zoneMissing(zone) }
    return try state.changes(
      since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription, in: store,
      serverMilliseconds: clock.nowMilliseconds())
  }

  /// Returns a stream of notifications about changes in a zone; see `SyncBackend`.
  public nonisolated func watch(
    zone: String, device: DeviceID, store: StoreIdentity?
  ) -> AsyncThrowingStream<ChannelSign, any Error> {
    notifications.subscribe(zone: zone, device: device) { [self] in try await present(zone, in: store) }
  }

  /// Returns the identity of the store.
  public func identity() async throws(BackendError) -> StoreIdentity { store }

  /// Returns the time of the backend's clock, in milliseconds since 1970.
  public func serverTime() async throws(BackendError) -> Int64 { clock.nowMilliseconds() }

  private func present(_ zone: String, in store: StoreIdentity?) throws(BackendError) -> Cursor {
    guard let state = zones[zone] else { throw .zoneMissing(zone) }
    try state.require(store)
    return state.cursor
  }
}
