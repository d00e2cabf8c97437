import Dispatch
import FlowModel
import FlowPlatform
import FlowPluginKit
import Synchronization
import SyncCore
import SyncEngine
#if Network
  import SyncHTTP
  import SyncMetrics
#endif
import SyncPomodoro
import SyncRecords
import SyncSQLite

/// The handle provided by `sync.connect`: a running session and the streams of its notices.
package final class Connection: Sendable {
  package let session: SyncSession
  package let zone: String
  /// The device's own file.
  package let file: String
  /// The reaction if the store that responds is not the store of the device's data.
  package let onOtherStore: OnOtherStore
  /// The records of the schema on this device.
  package let records: RecordStore
  private let store: SQLiteReplicaStore
  private let closeBackend: @Sendable () throws -> Void
  private let listeners: Listeners

  /// The location of a zone.
  package enum Home: Sendable {
    /// A SQLite file that the devices share.
    case file(String)
    /// A sync server. `certificates` is the file of the trusted certificate authorities, or nil to use those of the
    /// system.
    case server(String, token: String, certificates: String?)
    /// A backend provided by the app, with an address that identifies its store.
    case backend(any SyncBackend, address: String)

    /// The path or address, which identifies the location of the store.
    package var address: String {
      switch self {
      case .file(let path): FilePath.absolute(path)
      case .server(let address, token: _, certificates: _), .backend(_, let address): address
      }
    }
  }

  private init(
    session: SyncSession, zone: String, file: String, onOtherStore: OnOtherStore, schema: RecordSchema,
    subscription: SyncSubscription?, store: SQLiteReplicaStore,
    listeners: Listeners, closeBackend: @escaping @Sendable () throws -> Void
  ) {
    self.session = session
    self.zone = zone
    self.file = file
    self.onOtherStore = onOtherStore
    records = RecordStore(
      schema: schema, subscription: subscription, session: session, file: file, onOtherStore: onOtherStore)
    self.store = store
    self.listeners = listeners
    self.closeBackend = closeBackend
  }

  /// Opens the device's file and starts synchronization. Throws an `ActionError` for errors of the sync engine.
  package static func open(
    device: String, zone: String, home: Home, file: String, account: String = "",
    onOtherStore: OnOtherStore = .fail, delay: Duration = .zero,
    schema own: RecordSchema = Pomodoro.schema, subscription: SyncSubscription? = nil
  ) async throws -> Connection {
    let schema = own.withDevices
    let place = StorePlace(address: home.address, account: account)
    for (name, text) in [("the address", place.address), ("'account'", account)]
    where text.utf8.count > StorePlace.longestText {
      throw ActionError(
        Failure.input.code, "\(name) has \(text.utf8.count) bytes, at most \(StorePlace.longestText) are allowed")
    }
    do {
      let store = try SQLiteReplicaStore(path: file)
      let shown = schema.showing(subscription)
      let isShownAnew = try store.show(shown.tables)
      var backend: any SyncBackend
      let close: @Sendable () throws -> Void
      let limits: RequestBudget.Limits
      switch home {
      case .file(let path):
        let shared = try SQLiteBackend(path: path, zones: [zone])
        (backend, close) = (shared, { try shared.close() })
        limits = .none
      case .server(let address, let token, let certificates):
        (backend, close) = try server(address, token, certificates)
        limits = schema.budget ?? .none
      case .backend(let own, address: _): (backend, close, limits) = (own, {}, schema.budget ?? .none)
      }
      if delay > .zero { backend = DelayedBackend(backend, delayMilliseconds: delay.milliseconds) }
      var settings = SyncSettings(for: schema)
      settings.place = place
      settings.mergesOtherStores = onOtherStore == .merge
      if let subscription {
        settings.projection = SchemaProjection(shown)
        settings.subscription = subscription
      }
      // A delayed backend gets longer timeouts, because otherwise no request would succeed.
      settings.requestTimeoutMilliseconds += delay.milliseconds
      settings.shortestTimeoutMilliseconds += delay.milliseconds
      let listeners = Listeners()
      #if Network
        let (metrics, clock) = (SyncMetrics(zone: zone), SystemClock())
        let recorded = Recorded()
      #endif
      let session = try await SyncSession.open(
        device: device, zone: zone, backend: backend, store: store, settings: settings, limits: limits
      ) { notice, machine in
        listeners.tell(notice, machine)
        #if Network
          // Many records can change at the same time. Metrics are recorded once, when the statistics differ.
          switch notice {
          case .paused, .failed, .level, .channel, .synchronizing: break
          case .recordChanged: return
          default: if !recorded.isNews(machine.replica.statistics) { return }
          }
          metrics.record(machine.status(atMilliseconds: clock.nowMilliseconds()))
        #endif
      }
      if isShownAnew { try await session.showAll() }
      let connection = Connection(
        session: session, zone: zone, file: file, onOtherStore: onOtherStore, schema: schema,
        subscription: subscription, store: store, listeners: listeners, closeBackend: close)
      do {
        try await connection.records.declare()
      } catch {
        try? connection.close()
        throw error
      }
      await session.start()
      return connection
    } catch {
      throw Failure.error(error)
    }
  }

  /// Returns a client of the server and the function that closes it.
  private static func server(
    _ address: String, _ token: String, _ certificates: String?
  ) throws(BackendError) -> (any SyncBackend, @Sendable () throws -> Void) {
    #if Network
      let client = try HTTPBackend(address: address, token: token, certificates: certificates)
      return (client, { client.close() })
    #else
      throw .invalid(
        "this flowrun was built without network support and cannot reach '\(address)'; build one that can with: swift build -c release --static-swift-stdlib --traits Network --product flowrun"
      )
    #endif
  }

  /// Returns a stream of the notices to the user from now on, each with the machine's state at that time. The first
  /// stream also contains the earlier notices, up to 1,000.
  package func notices() -> AsyncStream<(SyncMachine.Notice, SyncMachine)> { listeners.stream() }

  /// The time in milliseconds for which an ending run continues to send changes. A handle must close within 1 s.
  private static let handOverMilliseconds: Int64 = 700

  /// Sends waiting changes for at most `limit` milliseconds, then stops the session and closes the files. Unsent
  /// changes stay in the device's file.
  package func close(handingOverFor limit: Int64 = handOverMilliseconds) throws {
    let (session, isStopped) = (session, DispatchSemaphore(value: 0))
    Task {
      _ = await session.wait(milliseconds: limit) { !$0.canHandOver }
      await session.stop()
      isStopped.signal()
    }
    _ = isStopped.wait(timeout: .now() + .milliseconds(Int(limit) + 200))
    listeners.finish()
    try store.close()
    try closeBackend()
  }
}

/// Delivers notices to all listeners. A listener that falls more than 1,000 notices behind misses the oldest ones.
/// The first 1,000 notices before the first listener are kept for it.
private final class Listeners: Sendable {
  private typealias Notice = (SyncMachine.Notice, SyncMachine)
  private typealias Continuation = AsyncStream<Notice>.Continuation
  private struct State {
    var next = 0
    var all: [Int: Continuation] = [:]
    /// The notices before the first listener, or nil once there has been one.
    var early: [Notice]? = []
  }

  private static let limit = 1000
  private let state = Mutex(State())

  func stream() -> AsyncStream<(SyncMachine.Notice, SyncMachine)> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (SyncMachine.Notice, SyncMachine).self, bufferingPolicy: .bufferingNewest(Self.limit))
    let number = state.withLock { state in
      state.next += 1
      state.all[state.next] = continuation
      for notice in state.early ?? [] { continuation.yield(notice) }
      state.early = nil
      return state.next
    }
    continuation.onTermination = { [weak self] _ in _ = self?.state.withLock { $0.all.removeValue(forKey: number) } }
    return stream
  }

  func tell(_ notice: SyncMachine.Notice, _ machine: SyncMachine) {
    let all = state.withLock { state in
      if state.early?.count ?? Self.limit < Self.limit { state.early?.append((notice, machine)) }
      return Array(state.all.values)
    }
    for continuation in all { continuation.yield((notice, machine)) }
  }

  func finish() {
    for continuation in state.withLock({ Array($0.all.values) }) { continuation.finish() }
  }
}

#if Network
  /// The statistics last reported to the metrics.
  private final class Recorded: Sendable {
    private let statistics = Mutex<SyncStatistics?>(nil)

    func isNews(_ present: SyncStatistics) -> Bool {
      statistics.withLock { known in
        defer { known = present }
        return known != present
      }
    }
  }
#endif

extension HandleKey {
  /// The handle of a running synchronization, provided by `sync.connect`.
  package static let syncConnection: HandleKey = "sync-connection"
}
