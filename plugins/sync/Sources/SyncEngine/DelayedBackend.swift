import SyncCore

/// A backend that responds late, like a cloud service on a slow network. Used for demonstrations and for tests of apps
/// that wait for a response.
package struct DelayedBackend: SyncBackend {
  private let backend: any SyncBackend
  private let delayMilliseconds: Int64
  private let clock: any SyncClock

  /// Creates a backend that delays each response of another one by at least `delayMilliseconds`.
  package init(_ backend: any SyncBackend, delayMilliseconds: Int64, clock: any SyncClock = SystemClock()) {
    self.backend = backend
    self.delayMilliseconds = delayMilliseconds
    self.clock = clock
  }

  /// Waits, then commits; see `SyncBackend`.
  package func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    try await wait()
    return try await backend.commit(operations, zone: zone, heard: heard, store: store)
  }

  /// Waits, then returns the changes; see `SyncBackend`.
  package func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    try await wait()
    return try await backend.changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription,
      store: store)
  }

  /// Waits, then forwards the messages of the backend's channel as they arrive; see `SyncBackend`.
  package func watch(
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

  /// Waits, then returns the store's identity.
  package func identity() async throws(BackendError) -> StoreIdentity {
    try await wait()
    return try await backend.identity()
  }

  /// Waits, then returns the server's time.
  package func serverTime() async throws(BackendError) -> Int64 {
    try await wait()
    return try await backend.serverTime()
  }

  /// True if the wrapped backend reports its own commits immediately; see `SyncBackend`.
  package var tellsOwnCommits: Bool { backend.tellsOwnCommits }

  private func wait() async throws(BackendError) {
    do {
      try await clock.sleep(untilMilliseconds: clock.nowMilliseconds() + delayMilliseconds)
    } catch {
      throw .unreachable("the request was abandoned")
    }
  }
}
