import SyncCore

/// A backend that answers late, as a cloud does behind a slow network: for demonstrations and tests of what an app does
/// meanwhile.
public struct DelayedBackend: SyncBackend {
  private let backend: any SyncBackend
  private let delayMilliseconds: Int64
  private let clock: any SyncClock

  /// `backend`, each of whose answers comes at least so long after it was asked for.
  public init(_ backend: any SyncBackend, delayMilliseconds: Int64, clock: any SyncClock = SystemClock()) {
    self.backend = backend
    self.delayMilliseconds = delayMilliseconds
    self.clock = clock
  }

  /// Waits, then makes the changes; see `SyncBackend`.
  public func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    try await wait()
    return try await backend.commit(operations, zone: zone, heard: heard, store: store)
  }

  /// Waits, then gives what changed; see `SyncBackend`.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    try await wait()
    return try await backend.changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription,
      store: store)
  }

  /// Waits, then passes the notifications on as they come; see `SyncBackend`.
  public func watch(
    zone: String, device: DeviceID, store: StoreIdentity?
  ) -> AsyncThrowingStream<ChannelSign, any Error> {
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: ChannelSign.self)
    let task = Task {
      do {
        try await wait()
        for try await sign in backend.watch(zone: zone, device: device, store: store) { continuation.yield(sign) }
        continuation.finish()
      } catch {
        continuation.finish(throwing: error)
      }
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Waits, then gives the store's identity.
  public func identity() async throws(BackendError) -> StoreIdentity {
    try await wait()
    return try await backend.identity()
  }

  /// Waits, then gives the server's clock.
  public func serverTime() async throws(BackendError) -> Int64 {
    try await wait()
    return try await backend.serverTime()
  }

  /// As the backend behind it.
  public var tellsOwnCommits: Bool { backend.tellsOwnCommits }

  private func wait() async throws(BackendError) {
    do {
      try await clock.sleep(untilMilliseconds: clock.nowMilliseconds() + delayMilliseconds)
    } catch {
      throw .unreachable("the request was abandoned")
    }
  }
}
