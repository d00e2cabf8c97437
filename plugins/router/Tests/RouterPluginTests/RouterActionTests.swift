import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterPlugin
import Testing

@Suite(.timeLimit(.minutes(10))) struct RouterActionTests {
  private let product: ValueObject = [
    "url": "app://product/12345", "parameters": ["name": "iPhone 16 Pro", "price": "7999"],
  ]

  @Test func `opens a held link once, exactly half a second after the view has appeared (N1, N6, N8, N28)`()
    async throws
  {
    let launch = Launch()
    try await launch.register()
    #expect(try await launch.call("router.hold", product)["result"] == "deferred")
    launch.interface.setReady(true)
    async let flushed = launch.call("router.flush")
    while launch.host.sleeperCount == 0 { await Task.yield() }
    launch.advance(milliseconds: 499)
    #expect(launch.interface.opened.isEmpty)
    launch.advance(milliseconds: 1)
    let outputs = try await flushed
    #expect(outputs["opened"] == 1)
    #expect(outputs["merged"] == ["productId": "12345", "name": "iPhone 16 Pro", "price": "7999"])
    #expect(launch.interface.opened.map(\.page) == ["product"])
    #expect(try await launch.call("router.flush")["result"] == "none")
    #expect(launch.interface.opened.count == 1)
    #expect(
      launch.host.logs == [
        "registered 7 routes for app, myapp", "pending.set app://product/12345", "pending.executed app://product/12345",
        "opened product by app://product/:productId for app://product/12345", "pending.completed app://product/12345",
      ])
  }

  @Test func `holds a link if there is no window, and opens links immediately if there is one (N2, N9, N11, N24)`()
    async throws
  {
    let launch = Launch()
    try await launch.register()
    #expect(try await launch.call("router.open", ["url": "myapp://product/123"])["result"] == "deferred")
    launch.interface.setReady(true)
    #expect(try await launch.flush()["page"] == "product")
    let opened = try await launch.call("router.open", ["url": "app://settings"])
    #expect(opened["result"] == "opened")
    #expect(launch.interface.opened.last == PageRequest(page: "settings", presentation: .present))
  }

  @Test func `opens the latest of two taps and logs the other (N7)`() async throws {
    let launch = Launch()
    try await launch.register()
    _ = try await launch.call("router.hold", product)
    _ = try await launch.call("router.hold", ["url": "app://vip/999"])
    launch.interface.setReady(true)
    #expect(try await launch.flush()["merged"] == ["vipId": "999"])
    #expect(launch.interface.opened.map(\.page) == ["vip"])
    #expect(launch.host.logLines.contains(.init(level: .warning, "pending.overwritten app://product/12345")))
  }

  @Test func `opens one page for three deliveries of the same tap (C4)`() async throws {
    let launch = Launch()
    try await launch.register()
    var identified = product
    identified["notification-id"] = "n-1"
    #expect(try await launch.call("router.hold", product)["result"] == "deferred")
    #expect(try await launch.call("router.hold", identified)["result"] == "duplicate")
    launch.interface.setReady(true)
    _ = try await launch.flush()
    #expect(try await launch.call("router.open", product)["result"] == "duplicate")
    launch.advance(milliseconds: 2_001)
    #expect(try await launch.call("router.open", product)["result"] == "opened")
    #expect(launch.interface.opened.count == 2)
  }

  @Test(arguments: [
    ("app://nowhere/1", "not-found", "not-found"), ("app://product/..", "rejected", "dot-segment"),
    ("javascript:alert(1)", "rejected", "scheme-not-allowed"),
  ])
  func `rejects a link that can never be opened, and keeps the waiting link (N40)`(
    url: String, result: String, reason: String
  ) async throws {
    let launch = Launch()
    try await launch.register()
    _ = try await launch.call("router.hold", product)
    for action in ["router.hold", "router.open"] {
      let outputs = try await launch.call(action, ["url": .string(url)])
      #expect(outputs["result"] == .string(result))
      #expect(outputs["reason"] == .string(reason))
    }
    launch.interface.setReady(true)
    #expect(try await launch.flush()["page"] == "product")
  }

  @Test func `returns the most similar routes for a link without a match`() async throws {
    let launch = Launch(isReady: true)
    try await launch.register()
    let outputs = try await launch.call("router.open", ["url": "app://prodcut/1"])
    #expect(outputs["nearest"] == ["app://product/:productId"])
  }

  @Test func `does nothing without a link (N17, N18)`() async throws {
    let launch = Launch(isReady: true)
    try await launch.register()
    for url in [Value.null, ""] {
      #expect(try await launch.call("router.hold", ["url": url])["result"] == "none")
      #expect(try await launch.call("router.open", ["url": url])["result"] == "none")
    }
    #expect(launch.interface.opened.isEmpty)
  }

  @Test func `reports a page that cannot be built, and opens the next link (N30)`() async throws {
    let launch = Launch(isReady: true)
    try await launch.register()
    launch.interface.refuse("product")
    let outputs = try await launch.call("router.open", product)
    #expect(outputs["result"] == "handler-failed")
    #expect(outputs["reason"] == "page-unavailable")
    #expect(outputs["message"] == "the page 'product' cannot be built")
    #expect(try await launch.call("router.open", ["url": "app://search"])["result"] == "opened")
  }

  @Test func `keeps a link if the window closes while it is settling (C5)`() async throws {
    let launch = Launch()
    try await launch.register()
    _ = try await launch.call("router.hold", product)
    launch.interface.setReady(true)
    async let flushed = launch.call("router.flush")
    while launch.host.sleeperCount == 0 { await Task.yield() }
    launch.interface.setReady(false)
    launch.advance(milliseconds: 500)
    #expect(try await flushed["result"] == "deferred")
    launch.interface.setReady(true)
    #expect(try await launch.flush()["result"] == "opened")
    #expect(launch.interface.opened.count == 1)
  }

  @Test func `opens all links in order with the fifo policy`() async throws {
    let launch = Launch()
    try await launch.register(pending: ["keep": "fifo"])
    for id in 1...3 { _ = try await launch.call("router.hold", ["url": .string("app://user/\(id)")]) }
    launch.interface.setReady(true)
    #expect(try await launch.flush()["opened"] == 3)
    #expect(launch.interface.opened.map { $0.parameters["userId"] } == ["1", "2", "3"])
  }

  @Test func `hides secrets in the log`() async throws {
    let launch = Launch(isReady: true)
    try await launch.register()
    _ = try await launch.call("router.open", ["url": "app://search?token=abc&q=1"])
    #expect(launch.host.logs.last { $0.hasPrefix("opened") }?.contains("token=[redacted]&q=1") == true)
    #expect(!launch.host.logs.contains { $0.contains("abc") })
  }

  @Test func `refuses a seventeenth scope`() async throws {
    let launch = Launch()
    try await launch.register()
    for scope in 1...16 {
      _ = try await launch.call("router.hold", ["url": .string("app://user/\(scope)"), "scope": .string("\(scope)")])
    }
    await #expect(throws: ActionError.self) {
      try await launch.call("router.hold", ["url": "app://user/x", "scope": "17"])
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct PersistedLinkTests {
  private let persist: ValueObject = ["persist": true, "time-to-live": "10s"]

  @Test func `opens pending links in the next launch`() async throws {
    let store = FakeStore()
    let killed = Launch(store: store)
    try await killed.register(pending: persist)
    _ = try await killed.call("router.hold", ["url": "app://vip/999", "parameters": ["from": "notification"]])
    let next = Launch(at: 1_009_000, store: store)
    try await next.register(pending: persist)
    next.interface.setReady(true)
    #expect(try await next.flush()["merged"] == ["vipId": "999", "from": "notification"])
    #expect(store.all(in: "router").isEmpty)
  }

  @Test func `logs and saves a link that could not be opened because the window closed meanwhile (C5)`() async throws {
    let store = FakeStore()
    let launch = Launch(isReady: true, store: store)
    try await launch.register(pending: persist)
    launch.interface.closeAfterNextCheck()
    #expect(try await launch.call("router.open", ["url": "app://vip/999"])["result"] == "deferred")
    #expect(launch.host.logs.contains("pending.returned app://vip/999"))
    try #require(!store.all(in: "router").isEmpty)
    let next = Launch(store: store)
    try await next.register(pending: persist)
    next.interface.setReady(true)
    #expect(try await next.flush()["merged"] == ["vipId": "999"])
  }

  @Test func `does not open pending links that have expired`() async throws {
    let store = FakeStore()
    let killed = Launch(store: store)
    try await killed.register(pending: persist)
    _ = try await killed.call("router.hold", ["url": "app://vip/999"])
    let next = Launch(at: 1_010_000, store: store)
    try await next.register(pending: persist)
    next.interface.setReady(true)
    #expect(try await next.call("router.flush")["result"] == "expired")
    #expect(next.host.logLines.contains(.init(level: .warning, "pending.expired app://vip/999")))
    #expect(store.all(in: "router").isEmpty)
  }

  @Test func `keeps pending links in memory if the disk is full, and logs the error`() async throws {
    let store = FakeStore()
    let launch = Launch(store: store)
    try await launch.register(pending: persist)
    store.setFailing(true)
    #expect(try await launch.call("router.hold", ["url": "app://vip/999"])["result"] == "deferred")
    #expect(launch.host.logLines.contains { $0.level == .error && $0.message.contains("no space is left") })
    launch.interface.setReady(true)
    #expect(try await launch.flush()["result"] == "opened")
  }

  @Test func `drops unreadable pending links and logs their number`() async throws {
    let store = FakeStore()
    try store.put([["url": 7], "x"], for: "pending.main", in: "router")
    let launch = Launch(store: store)
    try await launch.register(pending: persist)
    #expect(launch.host.logs.contains("dropped 2 kept route(s) that cannot be read"))
    #expect(store.all(in: "router").isEmpty)
  }

  @Test func `requires a store to persist links`() async throws {
    let launch = Launch()
    let error = await #expect(throws: ActionError.self) { try await launch.register(pending: persist) }
    #expect(error?.code == "handle-missing")
  }
}

@Suite(.timeLimit(.minutes(10))) struct InterceptorTests {
  private struct Rule: RouteInterceptor {
    let name = "signed-in"
    let decide: @Sendable (InterceptedLink) async -> RouteDecision

    func decide(_ link: InterceptedLink) async -> RouteDecision { await decide(link) }
  }

  private func open(
    _ url: String, source: String? = nil, _ decide: @escaping @Sendable (InterceptedLink) async -> RouteDecision
  ) async throws -> (Launch, ValueObject) {
    let launch = Launch(isReady: true, interceptors: [Rule(decide: decide)])
    try await launch.register()
    var inputs: ValueObject = ["url": .string(url)]
    if let source { inputs["source"] = .string(source) }
    return (launch, try await launch.call("router.open", inputs))
  }

  @Test func `an interceptor blocks a link and is reported as the reason`() async throws {
    let (launch, outputs) = try await open("app://user/1") { _ in .block }
    #expect(outputs["result"] == "blocked")
    #expect(outputs["reason"] == "signed-in")
    #expect(launch.interface.opened.isEmpty)
  }

  @Test(arguments: ["app://user/SECRET-1", "app://pay/SECRET-1"])
  func `an interceptor that blocks a secret link is reported, and the parameters are hidden`(url: String) async throws {
    let launch = Launch(isReady: true, interceptors: [Rule { _ in .block }])
    launch.host.setSecrets(["SECRET-1"])
    try await launch.register()
    let outputs = try await launch.call("router.open", ["url": .string(url)])
    #expect(outputs["result"] == "blocked" && outputs["reason"] == "signed-in")
    #expect(outputs["shown"]?.objectValue?.map(\.value) == ["[redacted]"])
    #expect(outputs["merged"]?.objectValue?.map(\.value) == ["SECRET-1"])
    #expect(launch.interface.opened.isEmpty)
  }

  @Test func `an interceptor must approve a sensitive route for an external link`() async throws {
    #expect(try await open("app://pay/1") { _ in .proceed }.1["result"] == "blocked")
    #expect(try await open("app://pay/1") { _ in .proceed }.1["reason"] == "sensitive")
    #expect(try await open("app://pay/1") { _ in .approve }.1["result"] == "opened")
    #expect(try await open("app://pay/1", source: "internal") { _ in .proceed }.1["result"] == "opened")
  }

  @Test func `a link is redirected at most five times`() async throws {
    let (launch, outputs) = try await open("app://user/0") { link in
      let number = Int(link.parameters.path["userId"]?.stringValue ?? "") ?? 0
      return number < 5 ? .redirect(to: "app://user/\(number + 1)") : .proceed
    }
    #expect(outputs["result"] == "redirected")
    #expect(outputs["url"] == "app://user/0")
    #expect(outputs["page"] == "user")
    #expect(outputs["merged"] == ["userId": "5"])
    #expect(outputs["reason"] == "signed-in")
    #expect(outputs["message"] == "'signed-in' sent it to app://user/5")
    #expect(launch.interface.opened.map { $0.parameters["userId"] } == ["5"])
    #expect(launch.host.logs.contains("redirected, opened user by app://user/:userId for app://user/0"))
    let (_, endless) = try await open("app://user/0") { _ in .redirect(to: "app://user/0") }
    #expect(endless["result"] == "blocked")
    #expect(endless["reason"] == "redirects")
    #expect(endless["url"] == "app://user/0")
  }

  @Test
  func `a redirected link is opened on a flush, and an invalid target is rejected`()
    async throws
  {
    let launch = Launch(
      isReady: true,
      interceptors: [
        Rule { link in
          switch link.url {
          case "app://user/1": .redirect(to: "app://settings")
          case "app://user/2": .redirect(to: "x")
          default: .proceed
          }
        }
      ])
    try await launch.register()
    _ = try await launch.call("router.hold", ["url": "app://user/1"])
    let flushed = try await launch.flush()
    #expect(flushed["opened"] == 1)
    #expect(flushed["result"] == "redirected")
    #expect(flushed["page"] == "settings")
    let bad = try await launch.call("router.open", ["url": "app://user/2"])
    #expect(bad["result"] == "rejected")
    #expect(bad["url"] == "x")
  }

  @Test func `a link is blocked if an interceptor makes no decision within two seconds`() async throws {
    let launch = Launch(
      isReady: true,
      interceptors: [
        Rule { _ in
          // Ignores cancellation, because the continuation is never resumed.
          await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
          return .proceed
        }
      ])
    try await launch.register()
    async let outputs = launch.call("router.open", ["url": "app://user/1"])
    while launch.host.sleeperCount == 0 { await Task.yield() }
    launch.advance(milliseconds: 2_000)
    #expect(try await outputs["result"] == "blocked")
  }
}

struct LaunchLinkTests {
  private func link(_ options: ValueObject, supports: [String]? = nil) async throws -> ValueObject {
    let launch = Launch(options: FlowModel.Launch(reason: .notification, options: options))
    var inputs: ValueObject = [:]
    if let supports { inputs["supports"] = supports.value }
    var outputs = try await launch.call("router.launch-link", inputs)
    outputs["logs"] = launch.host.logs.value
    return outputs
  }

  @Test(
    arguments: [
      (["url": "myapp://product/1"], "myapp://product/1", "url-scheme"),
      (["url": "https://example.com/a"], "https://example.com/a", "universal-link"),
      (["remoteNotification": ["route": "app://a", "parameters": ["x": 1]]], "app://a", "notification"),
      (["localNotification": ["userInfo": ["route": "app://b"]]], "app://b", "notification"),
      (["localNotification": [:]], nil, nil),
      (["remoteNotification": ["route": 7]], nil, nil), (["remoteNotification": ["route": ""]], nil, nil),
      (["notificationResponse": ["identifier": "n", "userInfo": ["route": "app://c"]]], "app://c", "notification"),
      (["urlContexts": [["url": "app://first"], ["url": "app://second"]]], "app://first", "url-scheme"),
      (["userActivities": [["webpageURL": "https://example.com/b"]]], "https://example.com/b", "universal-link"),
      (["shortcutItem": ["userInfo": ["route": "app://d"]]], "app://d", "internal"),
      (["location": true], nil, nil), (["bluetoothCentrals": ["x"]], nil, nil),
      (["cloudKitShareMetadata": [:]], nil, nil), ([:], nil, nil),
    ] as [(ValueObject, String?, String?)])
  func `returns the link from every launch option that can contain one (N16, N17, N25, R12, R15, R17)`(
    options: ValueObject, url: String?, source: String?
  ) async throws {
    let outputs = try await link(options)
    #expect(outputs["url"] == (url.map(Value.string) ?? .null))
    #expect(outputs["source"] == (source.map(Value.string) ?? .null))
    #expect(outputs["keys"] == options.keys.value)
    let isOfSeveral = options["urlContexts"]?.arrayValue?.count == 2
    #expect(outputs["ignored"] == (isOfSeveral ? ["urlContexts[1]: urlContexts[0] comes first"] : []))
  }

  @Test func `ignores keys of unsupported features, with a warning (R14)`() async throws {
    let outputs = try await link(
      ["remoteNotification": ["route": "app://a"], "url": "app://b", "mystery": 1], supports: ["url"])
    #expect(outputs["url"] == "app://b")
    #expect(outputs["ignored"] == ["remoteNotification", "mystery"])
    #expect(
      outputs["logs"]?.arrayValue?.contains("the launch option 'remoteNotification' is not supported and is ignored")
        == true)
  }
}

struct RegisterCheckTests {
  private func problems(_ inputs: ValueObject) -> [InputProblem] {
    RouterPlugin().actions.first { $0.name == "router.register" }!.details.check(LiteralInput(inputs))
  }

  @Test func `reports a duplicate route with both locations (N12)`() {
    let found = problems(["schemes": ["app"], "routes": ["app://a/:b", ["pattern": "app://a/:c"]]])
    #expect(found.map(\.keyPath) == ["routes[1].pattern"])
    #expect(found.first?.message == "'app://a/:c' matches the same URLs as 'app://a/:b' (duplicate-route)")
    #expect(found.first?.related == .init("routes[0]", "the other route is declared here"))
  }

  @Test func `reports every problem of every route, with its location`() {
    let found = problems([
      "schemes": ["app"],
      "routes": [
        "a//b", 7, ["pattern": "c", "acton": "push"], ["page": "x"], ["pattern": "d", "types": ["next": "ulr"]],
        ["pattern": "e", "action": "show"],
      ],
    ])
    #expect(
      found.map(\.keyPath) == [
        "routes[0]", "routes[1]", "routes[2].acton", "routes[3]", "routes[4].types.next", "routes[5].action",
      ])
  }

  @Test(arguments: [
    (["https"], "schemes[0]", "the scheme 'https' belongs to the web or the system"),
    (["app", "my app"], "schemes[1]", "'my app' is not a scheme"), ([], "schemes", "there must be at least one scheme"),
  ])
  func `refuses invalid and reserved schemes`(schemes: [String], keyPath: String, message: String) {
    let found = problems(["schemes": schemes.value, "routes": ["a"]])
    #expect(found.map(\.keyPath) == [keyPath])
    #expect(found.map(\.message) == [message])
  }

  @Test func `checks the routes even if a scheme or a host is invalid`() {
    let found = problems([
      "schemes": ["https", "app", "my app"], "hosts": ["a..b"], "routes": ["app://a/:b", "app://a/:c"],
    ])
    #expect(found.map(\.keyPath) == ["schemes[0]", "schemes[2]", "hosts[0]", "routes[1]"])
  }

  @Test func `warns about a route that no URL reaches`() {
    let found = problems(["schemes": ["app"], "routes": ["a/:b", ["pattern": "a/*", "page": "c"]]])
    #expect(found.map(\.isWarning) == [true])
    #expect(found.map(\.message) == ["no URL reaches 'a/*'"])
  }

  @Test func `does not report problems that can be detected only during a run`() {
    #expect(problems(["routes": ["x://a"]]).isEmpty)
  }
}
