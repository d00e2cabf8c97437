import FlowModel
import FlowPluginKit
import FlowTestKit
import Synchronization
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@testable import NotificationPlugin

/// A notification center that a test controls.
final class FakeCenter: UserNotificationCenter {
  struct Failure: Error {}

  private struct State {
    var delegate: (@Sendable (NotificationDelivery) -> Void)?
    var completions: [NotificationDelivery.FetchResult] = []
  }

  private let state = Mutex(State())
  let isGranted: Bool
  let token: [UInt8]?

  init(isGranted: Bool = true, token: [UInt8]? = nil) {
    self.isGranted = isGranted
    self.token = token
  }

  var hasDelegate: Bool { state.withLock { $0.delegate != nil } }
  var completions: [NotificationDelivery.FetchResult] { state.withLock { $0.completions } }

  func requestAuthorization(_ options: [NotificationOption]) -> Bool { isGranted }
  func registerForRemoteNotifications() throws -> [UInt8] {
    guard let token else { throw Failure() }
    return token
  }
  func add(_ request: NotificationRequest, wake: @escaping UserNotificationCenter.Wake) throws { throw Failure() }
  func removePending(_ ids: [String]?) {}
  func setDelegate(_ delegate: (@Sendable (NotificationDelivery) -> Void)?) {
    state.withLock { $0.delegate = delegate }
  }

  func deliver(_ kind: NotificationDelivery.Kind, _ payload: Value, id: String = "n-1", action: String? = nil) {
    let delegate = state.withLock { $0.delegate }
    delegate?(
      NotificationDelivery(id: id, kind: kind, payload: payload, action: action) { result in
        self.state.withLock { $0.completions.append(result) }
      })
  }
}

/// Records the links that it opens and the titles of the banners that it shows.
final class FakeApp: LinkOpener, UserInterface {
  private let links = Mutex<[TappedLink]>([])
  private let titles = Mutex<[String]>([])
  let isReady: Bool

  init(isReady: Bool = true) { self.isReady = isReady }

  var opened: [TappedLink] { links.withLock { $0 } }
  var banners: [String] { titles.withLock { $0 } }

  func open(_ link: TappedLink, on interface: any UserInterface, in context: ActionContext) async -> String {
    links.withLock { $0.append(link) }
    return "opened"
  }
  func open(_ page: PageRequest) {}
  func showBanner(title: String, body: String) { titles.withLock { $0.append(title) } }
}

func host(
  _ center: any UserNotificationCenter, _ app: FakeApp = FakeApp(), dataFolder: String = "/",
  now: @escaping @Sendable () -> Int = ScheduledNotifications.now
) -> TestHost {
  var handles: [HandleKey: any Sendable] = [
    .userInterface: app as any UserInterface, .linkOpener: app as any LinkOpener,
  ]
  for handle in NotificationPlugin(center: center, now: now).handles { handles[handle.key] = handle.handle }
  return TestHost(dataFolder: dataFolder, handles: handles)
}

let product: Value = [
  "aps": ["alert": ["title": "新商品上架", "body": "iPhone 16 Pro 现已开售"], "badge": 1, "sound": "default"],
  "route": "app://product/12345", "parameters": ["name": "iPhone 16 Pro", "price": "7999"],
]

struct NotificationPayloadTests {
  @Test func `reads the title, body, badge, sound, route and typed parameters (N31)`() throws {
    let payload = try NotificationPayload(.string(JSONText.write(product)))
    #expect(payload.title == "新商品上架")
    #expect(payload.body == "iPhone 16 Pro 现已开售")
    #expect(payload.badge == 1)
    #expect(payload.sound == "default")
    #expect(payload.route == "app://product/12345")
    #expect(payload.parameters == ["name": "iPhone 16 Pro", "price": "7999"])
    #expect(payload.warnings.isEmpty)
    #expect(try NotificationPayload(product) == payload)
  }

  @Test(arguments: [
    (#"{"productId":"123"}"#, "no-route: the payload has no 'route', so a tap opens nothing; send the complete route"),
    (#"{"route":7}"#, "no-route: the payload's 'route' is not a text"),
    (#"{"route":null}"#, "no-route: the payload's 'route' is not a text"),
    (#"{"route":""}"#, "no-route: the payload's 'route' is empty"),
  ])
  func `reads a route only if it is a non-empty string, and otherwise warns (N18, N35)`(text: String, warning: String)
    throws
  {
    let payload = try NotificationPayload(.string(text))
    #expect(payload.route == nil)
    #expect(payload.warnings == [warning])
  }

  @Test(arguments: [#""x""#, "7", "null", "[1]", "true"])
  func `ignores parameters that are not an object, and warns about them (N19)`(parameters: String) throws {
    let payload = try NotificationPayload(.string(#"{"route":"app://a","parameters":\#(parameters)}"#))
    #expect(payload.parameters == [:])
    #expect(payload.warnings.count == 1)
    #expect(try NotificationPayload(.string(#"{"route":"app://a"}"#)).parameters == [:])
  }

  @Test func `refuses a payload of more than 4096 bytes, or 5120 for VoIP`() throws {
    func payload(_ count: Int) -> Value {
      let start = #"{"route":"app://a","x":""#
      return .string(start + String(repeating: "x", count: count - start.utf8.count - 2) + "\"}")
    }
    #expect(throws: Never.self) { try NotificationPayload(payload(4_096)) }
    let error = #expect(throws: NotificationPayload.PayloadProblem.self) { try NotificationPayload(payload(4_097)) }
    #expect(error?.message == "the payload has 4097 bytes; the system delivers at most 4096")
    #expect(throws: Never.self) { try NotificationPayload(payload(5_120), limit: .voip) }
    #expect(throws: NotificationPayload.PayloadProblem.self) { try NotificationPayload(payload(5_121), limit: .voip) }
  }

  @Test func `refuses a payload nested more than 32 levels deep`() {
    func payload(_ depth: Int) -> Value {
      .string(#"{"x":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}")
    }
    #expect(throws: Never.self) { try NotificationPayload(payload(32)) }
    #expect(throws: NotificationPayload.PayloadProblem.self) { try NotificationPayload(payload(33)) }
  }

  @Test(arguments: ["", "[]", "{", #"{"a":1,"a":2}"#, "\"x\"", #"{"a":"\ud800"}"#, "{\"a\":\"\u{1}\"}", "7"])
  func `refuses text that is not a JSON object`(text: String) {
    let error = #expect(throws: NotificationPayload.PayloadProblem.self) { try NotificationPayload(.string(text)) }
    #expect(error?.code == "payload-malformed")
  }

  /// Tries 100,000 payloads, or a million with `FLOWRUN_LONG_TESTS=1`. `FLOWRUN_SEED` sets another seed.
  @Test(.timeLimit(.minutes(10))) func `parses random text without a crash`() {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["FLOWRUN_LONG_TESTS"] == nil ? 100_000 : 1_000_000
    let seed = environment["FLOWRUN_SEED"].flatMap(UInt64.init) ?? 20_260_228
    var generator = SeededGenerator(seed: seed)
    var read = 0
    for _ in 0..<count {
      if (try? NotificationPayload(.string(randomPayload(&generator)))) != nil { read += 1 }
    }
    #expect(read > count / 4 && read < count * 3 / 4, "seed \(seed): \(read) of \(count) were payloads")
  }

  /// Returns a random object. In half of the cases, some of its bytes are replaced.
  private func randomPayload(_ generator: inout SeededGenerator) -> String {
    let keys = ["route", "parameters", "aps", "alert", "title", "家"]
    let values = [
      "1", "-1.5e9", "null", "true", "\"app://a\"", "\"\\ud83d\\ude00\"", "[]", "[1,{}]",
      "{\"alert\":{\"title\":\"x\"}}",
      "{\"badge\":1}", "\"\"",
    ]
    var names: Set<String> = []
    for _ in 0..<Int(generator.next() % 4) { names.insert(keys[Int(generator.next() % 6)]) }
    let members = names.sorted().map { "\"\($0)\":\(values[Int(generator.next() % UInt64(values.count))])" }
    var bytes = Array("{\(members.joined(separator: ","))}".utf8)
    if generator.next() % 2 == 0 {
      for _ in 0...Int(generator.next() % 3) {
        bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: generator.next())
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

@Suite(.timeLimit(.minutes(10))) struct NotificationActionTests {
  @Test func `continues if the user denies permission, and logs the denial (N14)`() async throws {
    let denied = host(FakeCenter(isGranted: false))
    #expect(try await denied.call(RequestPermission.self) == ["granted": false, "status": "denied"])
    #expect(denied.logs == ["permission denied for alert, sound, badge; continuing without notifications"])
    let granted = host(FakeCenter())
    #expect(try await granted.call(RequestPermission.self)["granted"] == true)
  }

  @Test func `returns a device token in lower-case hexadecimal, and logs only its beginning (N22)`()
    async throws
  {
    let host = host(FakeCenter(token: [0x00, 0x0F, 0xFF, 0xA0, 0x01]))
    #expect(try await host.call(RegisterToken.self)["token"] == "000fffa001")
    #expect(host.logs == ["device token 000fffa0…, 5 bytes"])
  }

  @Test func `fails and logs an error if the registration fails (N22)`() async throws {
    let host = host(FakeCenter())
    let error = await #expect(throws: ActionError.self) { try await host.call(RegisterToken.self) }
    #expect(error?.code == "registration-failed")
    #expect(host.logLines.map(\.level) == [.error])
  }

  @Test(arguments: [(13, "alert"), (14, "banner"), (18, "banner")])
  func `shows a banner on iOS 14 and later, and an alert on older systems (N23)`(version: Int, first: String)
    async throws
  {
    let app = FakeApp()
    let outputs = try await host(FakeCenter(), app).call(
      PresentNotification.self, with: ["title": "T", "os-version": .integer(version)])
    #expect(outputs["options"] == [.string(first), "sound", "badge"])
    #expect(app.banners == ["T"])
    #expect(app.opened.isEmpty)
  }

  @Test func `shows no banner if no window is in the foreground`() async throws {
    let app = FakeApp(isReady: false)
    #expect(try await host(FakeCenter(), app).call(PresentNotification.self)["shown"] == false)
    #expect(app.banners.isEmpty)
  }

  @Test func `delivers a scheduled notification once, after its delay (N32)`() async throws {
    let center = HeadlessNotificationCenter()
    let folder = try TemporaryFolder()
    let host = host(center, dataFolder: folder.path)
    let delivered = Mutex<[String]>([])
    center.setDelegate { delivery in delivered.withLock { $0.append(delivery.id) } }
    let id = try await host.call(ScheduleNotification.self, with: ["title": "T", "route": "app://product/8888"])["id"]?
      .stringValue
    #expect(id?.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    host.advance(by: .milliseconds(4_999))
    #expect(delivered.withLock { $0 }.isEmpty)
    host.advance(by: .milliseconds(1))
    host.advance(by: .seconds(60))
    #expect(delivered.withLock { $0 } == [id])
  }

  @Test func `logs a notification that cannot be scheduled, and schedules at most 64 (N32)`() async throws {
    let failing = host(FakeCenter())
    await #expect(throws: FakeCenter.Failure.self) {
      try await failing.call(ScheduleNotification.self, with: ["title": "T"])
    }
    #expect(failing.logLines.map(\.level) == [.error])
    let folder = try TemporaryFolder()
    let host = host(HeadlessNotificationCenter(), dataFolder: folder.path)
    for _ in 0..<64 { _ = try await host.call(ScheduleNotification.self, with: ["title": "T"]) }
    await #expect(throws: ActionError.self) { try await host.call(ScheduleNotification.self, with: ["title": "T"]) }
  }

  @Test func `warns before the run about a literal payload without a route (N35)`() {
    let problems = ParsePayload.check(LiteralInput(["payload": #"{"productId":"123"}"#]))
    #expect(problems.map(\.isWarning) == [true])
    #expect(ParsePayload.check(LiteralInput(["payload": "{"])).map(\.isWarning) == [false])
  }

  @Test func `refuses a notification with both an instant and a delay`() {
    let both: ValueObject = ["title": "T", "at": "2030-01-01T00:00:00Z", "after": "5s"]
    #expect(ScheduleNotification.check(LiteralInput(both)).map(\.keyPath) == ["after"])
  }
}

@Suite(.timeLimit(.minutes(10))) struct ReceiveNotificationsTests {
  /// Starts the service, calls `body`, and then stops the service.
  private func listening(
    _ center: FakeCenter, _ app: FakeApp, _ inputs: ValueObject = [:], _ body: (TestHost) async throws -> Void
  ) async throws {
    let host = host(center, app)
    let service = Task { try await host.call(ReceiveNotifications.self, with: inputs) }
    #expect(await host.readied() == ["installed": true])
    try await body(host)
    host.cancel()
    _ = await service.result
    #expect(!center.hasDelegate)
  }

  /// Waits until the condition is true or the test's time limit has passed.
  private func wait(_ condition: () -> Bool) async {
    while !condition() && !Task.isCancelled { await Task.yield() }
  }

  @Test func `sets the delegate before it reports ready (N15)`() async throws {
    let center = FakeCenter()
    try await listening(center, FakeApp()) { _ in #expect(center.hasDelegate) }
  }

  @Test func `shows a notification when it arrives, and opens its link only after a tap (N10, N21, C3)`() async throws {
    let (center, app) = (FakeCenter(), FakeApp())
    try await listening(center, app) { host in
      center.deliver(.received, product)
      await wait { center.completions.count == 1 }
      #expect(app.banners == ["新商品上架"])
      #expect(app.opened.isEmpty)
      center.deliver(.tapped, product)
      await wait { center.completions.count == 2 }
      #expect(app.opened.map(\.url) == ["app://product/12345"])
      #expect(app.opened.first?.notificationID == "n-1")
      #expect(host.posts == ["notification.received", "notification.tapped"])
    }
  }

  @Test func `calls the completion handler exactly once per notification, even for an invalid one (N21, N24)`()
    async throws
  {
    let (center, app) = (FakeCenter(), FakeApp())
    try await listening(center, app) { _ in
      for payload in [product, ["productId": "1"], "not JSON", 7] as [Value] { center.deliver(.received, payload) }
      center.deliver(.tapped, ["productId": "1"])
      await wait { center.completions.count == 5 }
      #expect(center.completions.allSatisfy { $0 == .newData })
      #expect(app.opened.isEmpty)
    }
  }

  @Test func `queues up to 64 notifications, and completes any others immediately`() async throws {
    let (center, app) = (FakeCenter(), FakeApp())
    try await listening(center, app, ["tap-after": "1h"]) { host in
      center.deliver(.received, product)
      await wait { host.sleeperCount == 1 }
      for _ in 0..<64 { center.deliver(.received, product) }
      #expect(center.completions.isEmpty)
      center.deliver(.received, product)
      #expect(center.completions == [.failed])
    }
  }

  @Test func `opens a link without a tap if route-on-receipt is true (C3)`() async throws {
    let (center, app) = (FakeCenter(), FakeApp())
    try await listening(center, app, ["route-on-receipt": true]) { _ in
      center.deliver(.received, product)
      await wait { center.completions.count == 1 }
      #expect(app.opened.map(\.url) == ["app://product/12345"])
    }
  }

  @Test func `simulates a tap after the delay in tap-after (N34)`() async throws {
    let (center, app) = (FakeCenter(), FakeApp())
    try await listening(center, app, ["tap-after": "1s"]) { host in
      center.deliver(
        .received, ["route": "app://vip/999", "parameters": ["from": "notification"], "aps": ["alert": "x"]])
      await wait { host.sleeperCount == 1 }
      #expect(app.opened.isEmpty)
      host.advance(by: .seconds(1))
      await wait { center.completions.count == 1 }
      #expect(app.opened.map(\.parameters) == [["from": "notification"]])
    }
  }
}
