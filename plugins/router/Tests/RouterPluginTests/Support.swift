import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterPlugin
import Synchronization

/// A user interface that a test makes ready and that records the pages it opens.
final class FakeInterface: UserInterface {
  private struct State {
    var isReady: Bool
    var closesAfterCheck = false
    var opened: [PageRequest] = []
    var unbuildable: Set<String> = []
  }

  private let state: Mutex<State>

  init(isReady: Bool = true) { state = Mutex(State(isReady: isReady)) }

  var isReady: Bool {
    state.withLock { state in
      defer { if state.closesAfterCheck { state.isReady = false } }
      return state.isReady
    }
  }
  var opened: [PageRequest] { state.withLock { $0.opened } }

  func setReady(_ isReady: Bool) { state.withLock { ($0.isReady, $0.closesAfterCheck) = (isReady, false) } }
  func closeAfterNextCheck() { state.withLock { $0.closesAfterCheck = true } }
  func refuse(_ page: String) { state.withLock { _ = $0.unbuildable.insert(page) } }

  func open(_ page: PageRequest) throws {
    try state.withLock { state in
      guard !state.unbuildable.contains(page.page) else {
        throw ActionError("page-unavailable", "the page '\(page.page)' cannot be built", isRetryable: false)
      }
      state.opened.append(page)
    }
  }

  func showBanner(title: String, body: String) {}
}

/// A key-value store that outlives its router, like a file, and that fails on request.
final class FakeStore: KeyValueStore {
  private let values = Mutex<[String: Value]>([:])
  private let failing = Mutex(false)

  func setFailing(_ isFailing: Bool) { failing.withLock { $0 = isFailing } }

  func get(_ key: String, in scope: String) -> Value? { values.withLock { $0[scope + "/" + key] } }

  func all(in scope: String) -> [String: Value] {
    values.withLock { values in
      Dictionary(
        uniqueKeysWithValues: values.filter { $0.key.hasPrefix(scope + "/") }
          .map { (String($0.key.dropFirst(scope.count + 1)), $0.value) })
    }
  }

  func apply(_ changes: [KeyValueChange], in scope: String) throws {
    if failing.withLock({ $0 }) { throw ActionError("disk-full", "no space is left on the device") }
    values.withLock { values in
      for change in changes {
        switch change {
        case .put(let key, let value): values[scope + "/" + key] = value
        case .delete(let key): values[scope + "/" + key] = nil
        }
      }
    }
  }
}

/// A launch of an application: a host with a router, an interface and a clock that the test advances.
final class Launch: Sendable {
  let host: TestHost
  let interface: FakeInterface
  private let time: Time

  /// The time of day. ``Launch/advance(milliseconds:)`` advances it together with the host's clock.
  final class Time: Sendable {
    private let now: Mutex<Int>
    init(_ now: Int) { self.now = Mutex(now) }
    var milliseconds: Int { now.withLock { $0 } }
    func advance(_ milliseconds: Int) { now.withLock { $0 += milliseconds } }
  }

  init(
    at now: Int = 1_000_000, isReady: Bool = false, store: FakeStore? = nil,
    interceptors: [any RouteInterceptor] = [], options: FlowModel.Launch = FlowModel.Launch()
  ) {
    let time = Time(now)
    let interface = FakeInterface(isReady: isReady)
    var handles: [HandleKey: any Sendable] = [.userInterface: interface as any UserInterface]
    for handle in RouterPlugin(interceptors: interceptors, now: { time.milliseconds }).handles {
      handles[handle.key] = handle.handle
    }
    if let store { handles[.keyValueStore] = store as any KeyValueStore }
    host = TestHost(launch: options, handles: handles)
    self.interface = interface
    self.time = time
  }

  /// Advances the time of day and the host's clock.
  func advance(milliseconds: Int) {
    time.advance(milliseconds)
    host.advance(by: .milliseconds(milliseconds))
  }

  func call(_ name: String, _ inputs: ValueObject = [:]) async throws -> ValueObject {
    let action = RouterPlugin().actions.first { $0.name == name }!
    return try await host.call(action, with: inputs)
  }

  /// Registers the routes of the requirements and an additional sensitive route.
  func register(pending: ValueObject = [:]) async throws {
    _ = try await call(
      "router.register",
      [
        "schemes": ["app", "myapp"], "pending": .object(pending),
        "routes": [
          "app://user/:userId", ["pattern": "app://settings", "action": "present"], "app://product/:productId",
          "app://search", "app://vip/:vipId", "app://notification/:notificationId",
          ["pattern": "app://pay/:id", "sensitive": true],
        ],
      ])
  }

  /// Calls `router.flush` and advances the clocks once it sleeps.
  func flush(_ inputs: ValueObject = [:], passing milliseconds: Int = 500) async throws -> ValueObject {
    async let outputs = call("router.flush", inputs)
    while host.sleeperCount == 0 { await Task.yield() }
    advance(milliseconds: milliseconds)
    return try await outputs
  }
}
