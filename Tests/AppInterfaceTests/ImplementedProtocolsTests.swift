import FlowHistory
import FlowKit
import FlowPluginKit
import FlowTestKit
import GeocodeCore
import GeocodePlugin
import LocationPlugin
import NotificationPlugin
import PreferencesPlugin
import RouterPlugin
import SyncCloud
import SyncCore
import SyncEngine
import Synchronization
import Testing
import UserInterfacePlugin

// Implementations of each protocol that a page mentions. Like an app, they have access only to public declarations.

private struct DeviceLocation: LocationSource {
  func authorization() -> LocationAuthorization? { .whenInUse }
  nonisolated(nonsending) func requestAuthorization(
    simulatedAnswer: LocationAuthorization
  ) async throws -> LocationAuthorization { .always }
  nonisolated(nonsending) func positions(
    for request: LocationRequest, in context: ActionContext, deliver: @Sendable (Position) throws -> Void
  ) async throws {
    try deliver(Position(latitude: 48.1, longitude: 11.6, elevationMeters: nil, elapsed: .zero))
  }
}

private struct DeviceGeocoder: GeocodeProvider {
  private var place: NamedPlace {
    var place = NamedPlace(countryCode: "DE", country: "Germany")
    place.city = "Munich"
    return place
  }
  func prepare() throws(GeocodeError) -> GeocodePreparation {
    GeocodePreparation(places: 1, regions: 1, countries: 1, loaded: true)
  }
  func reverse(
    _ coordinate: Coordinate, options: ReverseGeocoder.Options
  ) throws(GeocodeError) -> ReverseAnswer {
    ReverseAnswer(place: place, distanceKilometers: 1, method: .nearest, confidence: 1)
  }
  func forward(
    _ query: String, near: Coordinate?, countryCode: String?, limit: Int
  ) throws(GeocodeError) -> [ForwardAnswer] {
    [ForwardAnswer(place: place, kind: .city, closeness: .exact)]
  }
  func countries() throws(GeocodeError) -> [CountrySummary] {
    [CountrySummary(code: "DE", code3: "DEU", name: "Germany", continent: "EU")]
  }
}

private struct DeviceNotifications: UserNotificationCenter {
  func requestAuthorization(_ options: [NotificationOption]) async throws -> Bool { options.contains(.alert) }
  func registerForRemoteNotifications() async throws -> [UInt8] { [1] }
  func add(_ request: NotificationRequest, wake: @escaping Wake) throws {}
  func removePending(_ ids: [String]?) {}
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    delegate?(NotificationDelivery(id: "a", kind: .tapped, payload: [:], action: "REPLY", reply: "hi"))
  }
}

private struct DevicePreferences: SystemPreferences {
  var languages: [String] { ["de"] }
  var appearance: Appearance? { .dark }
}

private struct SignedIn: RouteInterceptor {
  let name = "signed-in"
  func decide(_ link: InterceptedLink) async -> RouteDecision { .proceed }
}

private struct Settings: KeyValueStore {
  func get(_ key: String, in scope: String) throws -> Value? { nil }
  func all(in scope: String) throws -> [String: Value] { [:] }
  func apply(_ changes: [KeyValueChange], in scope: String) throws {}
}

private final class Window: ApplicationInterface {
  private(set) var shown: InterfaceState
  var isReady: Bool { true }
  var state: InterfaceState { shown }
  init() { shown = InterfaceState(tab: "map") }
  func launch(storyboard: String?) {}
  func restore(_ state: InterfaceState) { shown = state }
  func showSplash(_ asset: String?) async throws { await Task.yield() }
  func makeWindow(_ content: WindowContent) -> String { content.selected }
  func present() {}
  func select(tab: String) {}
  func open(_ page: PageRequest) async throws { shown.open(page) }
  func showBanner(title: String, body: String) {}
  func onStateChange(_ handler: @escaping @Sendable (InterfaceState) -> Void) {}
}

/// A run store of an app that forwards every call to another store.
private struct PassingStore: RunStore {
  let other: any RunStore
  func create(
    _ run: StoredRun, definition: [UInt8], chunks: [[UInt8]], isDurable: Bool
  ) throws(StoreProblem) -> any RunLease {
    try other.create(run, definition: definition, chunks: chunks, isDurable: isDurable)
  }
  func append(_ chunk: [UInt8], to lease: any RunLease, isDurable: Bool) throws(StoreProblem) {
    try other.append(chunk, to: lease, isDurable: isDurable)
  }
  func keep(_ run: StoredRun, definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem) {
    try other.keep(run, definition: definition, chunks: chunks)
  }
  func finish(_ lease: any RunLease, state: StoredRun.State, summary: [UInt8]) throws(StoreProblem) {
    try other.finish(lease, state: state, summary: summary)
  }
  func take(_ run: String, at position: RunPosition, by holder: RunHolder) throws(StoreProblem) -> any RunLease {
    try other.take(run, at: position, by: holder)
  }
  func giveBack(_ lease: any RunLease, as run: StoredRun) throws(StoreProblem) { try other.giveBack(lease, as: run) }
  func resume(_ lease: any RunLease, as definition: [UInt8], chunks: [[UInt8]]) throws(StoreProblem) {
    try other.resume(lease, as: definition, chunks: chunks)
  }
  func list(_ filter: RunFilter) throws(StoreProblem) -> RunList { try other.list(filter) }
  func chunks(of run: String, from first: Int) throws(StoreProblem) -> [[UInt8]] {
    try other.chunks(of: run, from: first)
  }
  func sizes() throws(StoreProblem) -> [String: Int] { try other.sizes() }
  func definition(of run: String) throws(StoreProblem) -> [UInt8] { try other.definition(of: run) }
  func remove(_ runs: [String]) throws(StoreProblem) -> Int { try other.remove(runs) }
  func ask(_ run: String, _ request: [UInt8]) throws(StoreProblem) -> Int { try other.ask(run, request) }
  func requests(of lease: any RunLease) throws(StoreProblem) -> [RunRequestEntry] { try other.requests(of: lease) }
  func answer(_ request: Int, with answer: [UInt8]) throws(StoreProblem) { try other.answer(request, with: answer) }
  func answer(to request: Int) throws(StoreProblem) -> [UInt8]? { try other.answer(to: request) }
}

private struct Observer: RunObserver {
  func receive(_ events: [RunEvent]) {}
}

private struct Cloud: CloudZone {
  func modify(_ modification: CloudModification) async throws(CloudZoneError) -> CloudModified {
    CloudModified(tags: [:], serverMilliseconds: 0)
  }
  func changes(since token: CloudToken?) async throws(CloudZoneError) -> CloudChanges {
    CloudChanges(changed: [], removed: [], token: CloudToken([]), hasMore: false, serverMilliseconds: 0)
  }
  func account() async throws(CloudZoneError) -> String { "ada" }
}

/// A sync backend of an app that forwards every call to another backend.
private struct Passing: SyncBackend {
  let other: MemoryBackend
  func commit(
    _ operations: [RecordOperation], zone: String, heard: Cursor?, store: StoreIdentity?
  ) async throws(BackendError) -> CommitReply {
    try await other.commit(operations, zone: zone, heard: heard, store: store)
  }
  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader,
    of subscription: SyncSubscription?, store: StoreIdentity?
  ) async throws(BackendError) -> ChangePage {
    try await other.changes(
      zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: subscription,
      store: store)
  }
  func watch(zone: String, device: DeviceID, store: StoreIdentity?) -> AsyncThrowingStream<ChannelSign, any Error> {
    other.watch(zone: zone, device: device, store: store)
  }
  func identity() async throws(BackendError) -> StoreIdentity { try await other.identity() }
  func serverTime() async throws(BackendError) -> Int64 { try await other.serverTime() }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}

struct `Implementations by an app` {
  @Test func `plugins accept an app's implementations of their protocols`() throws {
    _ = Engine {
      LocationPlugin(source: DeviceLocation())
      GeocodePlugin(provider: DeviceGeocoder())
      NotificationPlugin(center: DeviceNotifications())
      PreferencesPlugin(system: DevicePreferences())
      RouterPlugin(interceptors: [SignedIn()])
      UserInterfacePlugin { await Window() }
    }
    #expect(try DeviceGeocoder().prepare().places == 1)
    var options = RunOptions(dataFolder: "/", workflowFolder: "/")
    options.observer = Observer()
    let kept = MemoryRunStore()
    options.history = RunHistory(file: "/launch", definition: [], holder: RunHolder(process: 1, host: "phone")) { _ in
      PassingStore(other: kept)
    }
    #expect(try PassingStore(other: kept).runs(RunFilter()).isEmpty && options.history != nil)
    let store: any KeyValueStore = Settings()
    #expect(try store.get("a", in: "b") == nil)
  }

  @Test func `an app can test with a clock that only the test advances`() {
    let host = TestHost()
    let isAwake = Flag()
    host.wake(after: .seconds(2)) { isAwake.set() }
    host.advance(by: .seconds(1))
    #expect(!isAwake.isSet)
    host.advance(by: .seconds(1))
    #expect(isAwake.isSet)
    #expect(!host.deliver("bell.rung"))
  }

  @Test func `sync accepts an app's backend, and backends for one cloud account share an identity`() async throws {
    let ofAda = try await CloudZoneBackend(zones: ["Notes": Cloud()]).identity()
    #expect(try await CloudZoneBackend(zones: ["Notes": Cloud()]).identity() == ofAda)
    let backend: any SyncBackend = Passing(other: MemoryBackend(zones: ["Notes"]))
    let store = try await backend.identity()
    _ = try await backend.commit([], zone: "Notes", heard: nil, store: store)
  }
}
