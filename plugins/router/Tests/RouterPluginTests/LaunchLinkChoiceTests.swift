import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterPlugin
import Testing

/// Tests the choice among several launch links, and the links of notification buttons.
struct LaunchLinkChoiceTests {
  private static let browsing: Value = [
    "activityType": "NSUserActivityTypeBrowsingWeb", "webpageURL": "https://example.com/chat/1",
  ]
  private static let restoring: Value = ["activityType": "com.example.restore"]

  /// Returns the user's response to a notification with a link.
  private static func response(_ action: String?, reply: String? = nil, route: String = "app://chat/1") -> Value {
    .object([
      "actionIdentifier": action.map(Value.string) ?? .null, "userText": reply.map(Value.string) ?? .null,
      "notification": [
        "request": ["identifier": "n", "content": ["userInfo": ["route": .string(route)]]]
      ],
    ])
  }

  private func find(_ options: ValueObject, routes: [Value] = ["app://chat/:id"]) async throws -> ValueObject {
    let launch = Launch()
    _ = try await launch.call(
      "router.register", ["schemes": ["app"], "hosts": ["example.com"], "routes": .array(routes)])
    return try await launch.call("router.launch-link", ["options": .object(options)])
  }

  @Test(
    arguments: [
      (
        ["userActivities": [restoring, browsing]], "https://example.com/chat/1",
        ["userActivities[0]: it has no web page"]
      ),
      (
        ["userActivities": [browsing, restoring]], "https://example.com/chat/1",
        ["userActivities[1]: it has no web page"]
      ),
      (
        ["urlContexts": [["url": "app://nowhere/1"], ["url": "app://chat/2"], ["url": "app://chat/3"]]], "app://chat/2",
        ["urlContexts[0]: no route takes it", "urlContexts[2]: urlContexts[1] comes first"]
      ),
      (
        [
          "userActivities": [browsing], "urlContexts": [["url": "app://chat/2"]], "notificationResponse": response(nil),
        ],
        "app://chat/1",
        ["urlContexts[0]: notificationResponse comes first", "userActivities[0]: notificationResponse comes first"]
      ),
      (["notificationResponse": .null, "url": "app://chat/2"], "app://chat/2", []),
      (
        ["urlContexts": ["url": "app://chat/3"], "userActivities": browsing, "url": "app://chat/2"], "app://chat/2",
        ["urlContexts: it is not a list", "userActivities: it is not a list"]
      ),
      (
        [
          "notificationResponse": response("com.apple.UNNotificationDismissActionIdentifier"),
          "urlContexts": [["url": "app://chat/2"]],
        ], "app://chat/2", ["notificationResponse: it was dismissed"]
      ),
      (
        ["remoteNotification": ["route": "app://chat/1"], "url": "app://chat/2"], "app://chat/2",
        ["remoteNotification: it was not tapped"]
      ),
      (
        [
          "localNotification": ["userInfo": ["aps": ["content-available": 1], "route": "app://chat/1"]],
          "url": "app://chat/2",
        ], "app://chat/2", ["localNotification: it is silent"]
      ),
      // No route matches this link. It is returned all the same, so that `router.hold` can report why it does not open.
      (["url": "app://nowhere/1"], "app://nowhere/1", []),
    ] as [(ValueObject, String, [Value])])
  func `uses the first link that a route accepts, and reports why it ignores others`(
    options: ValueObject, url: String, ignored: [Value]
  ) async throws {
    let outputs = try await find(options)
    #expect(outputs["url"] == .string(url))
    #expect(outputs["ignored"] == .array(ignored))
    if options["urlContexts"] != nil, options.count == 1 {
      #expect(outputs["arrival"] == .null && outputs["action"] == .null)
    }
  }

  @Test(
    arguments: [
      (nil, nil, "app://chat/1", "tap", "default"),
      ("com.apple.UNNotificationDefaultActionIdentifier", nil, "app://chat/1", "tap", "default"),
      ("MARK_READ", "hi", nil, "action", "MARK_READ"), ("SHOW", nil, "app://chat/1", "action", "SHOW"),
      ("com.apple.UNNotificationDismissActionIdentifier", nil, nil, "receipt", "dismiss"),
    ] as [(String?, String?, String?, String, String)])
  func `returns the link of a tap or a listed button, and the action and reply of any response`(
    identifier: String?, reply: String?, url: String?, arrival: String, action: String
  ) async throws {
    let outputs = try await find(
      ["notificationResponse": Self.response(identifier, reply: reply)],
      routes: [["pattern": "app://chat/:id", "actions": ["SHOW"]]])
    #expect(outputs["url"] == url.map(Value.string) ?? .null)
    #expect(outputs["arrival"] == .string(arrival))
    #expect(outputs["action"] == .string(action))
    #expect(outputs["reply"] == reply.map(Value.string) ?? .null)
  }

  @Test(
    arguments: [
      (["notificationResponse": []], ["notificationResponse: it is not an object"], nil),
      (["notificationResponse": "tap"], ["notificationResponse: it is not an object"], nil),
      (["remoteNotification": "app://chat/1"], ["remoteNotification: it is not an object"], nil),
      (["localNotification": 5], ["localNotification: it is not an object"], nil),
      (["shortcutItem": "home"], ["shortcutItem: it is not an object"], nil),
      (["shortcutItem": ["type": "home"]], [], nil),
      (["shortcutItem": ["userInfo": ["route": 7]]], ["shortcutItem: its 'route' is not a text"], nil),
      (
        [
          "notificationResponse": [
            "actionIdentifier": 5,
            "notification": ["request": ["content": ["userInfo": ["route": "app://chat/1"]]]],
          ]
        ], ["notificationResponse: its 'actionIdentifier' is not a text"], nil
      ),
      (
        [
          "notificationResponse": [
            "userText": 7,
            "notification": ["request": ["identifier": 9, "content": ["userInfo": ["route": "app://chat/1"]]]],
          ]
        ],
        ["notificationResponse: its 'userText' is not a text", "notificationResponse: its 'identifier' is not a text"],
        "app://chat/1"
      ),
    ] as [(ValueObject, [Value], String?)])
  func `ignores the invalid parts of a launch option, and reports them`(
    options: ValueObject, ignored: [Value], url: String?
  ) async throws {
    let outputs = try await find(options)
    #expect(outputs["ignored"] == .array(ignored))
    #expect(outputs["url"] == url.map(Value.string) ?? .null)
    #expect((outputs["arrival"] == "tap") == (url != nil))
  }

  @Test(
    arguments: [
      ("dismiss", "a dismissed notification opens nothing"), ("", "the identifier is empty"),
      ("com.apple.UNNotificationDismissActionIdentifier", "a dismissed notification opens nothing"),
    ])
  func `refuses a route that lists the dismissal or an empty text as a button`(
    identifier: String, message: String
  ) async throws {
    let inputs: ValueObject = [
      "schemes": ["app"], "routes": [["pattern": "app://chat/:id", "actions": ["SHOW", .string(identifier)]]],
    ]
    let error = await #expect(throws: ActionError.self) { try await Launch().call("router.register", inputs) }
    #expect(error?.code == "routes-invalid" && error?.message.contains(message) == true)
  }

  @Test func `opens a link for a button only if the route lists the button`() async throws {
    let launch = Launch(isReady: true)
    _ = try await launch.call(
      "router.register",
      ["schemes": ["app"], "routes": ["app://order/:id", ["pattern": "app://chat/:id", "actions": ["SHOW"]]]])
    let opener: any LinkOpener = launch.host.handle(.linkOpener)!
    for (url, action, result) in [
      ("app://chat/1", "SHOW", "opened"), ("app://chat/2", "MARK_READ", "blocked"),
      ("app://order/1", "SHOW", "blocked"),
    ] {
      let link = TappedLink(url: url, notificationID: url, action: action)
      #expect(await opener.open(link, on: launch.interface, in: launch.host.context()) == result)
    }
    #expect(launch.interface.opened.map(\.page) == ["chat"])
  }

  @Test func `fails if 'supports' has a key that is not a launch option`() async throws {
    let launch = Launch()
    let error = await #expect(throws: ActionError.self) {
      try await launch.call("router.launch-link", ["options": ["url": "app://a"], "supports": ["url", "shortcut"]])
    }
    #expect(error?.code == "option-unknown")
    #expect(error?.message.hasPrefix("'shortcut' is not a launch option; the options are ") == true)
  }

  @Test func `warns if no routes have been registered`() async throws {
    let launch = Launch()
    let outputs = try await launch.call("router.launch-link", ["options": ["url": "app://a"]])
    #expect(outputs["url"] == "app://a")
    #expect(launch.host.logLines.contains { $0.level == .warning && $0.message.contains("router.register") })
  }

  @Test(arguments: [false, true])
  func `reports an expired link once, in the outcomes of the next flush`(isOfEarlierLaunch: Bool) async throws {
    let store = FakeStore()
    let first = Launch(store: store)
    try await first.register(pending: ["persist": true])
    _ = try await first.call("router.hold", ["url": "app://user/1", "time-to-live": "1m"])
    let launch = isOfEarlierLaunch ? Launch(at: 1_070_000, isReady: true, store: store) : first
    if isOfEarlierLaunch {
      try await launch.register(pending: ["persist": true])
    } else {
      launch.advance(milliseconds: 60_000)
      launch.interface.setReady(true)
    }
    let outputs = try await launch.call("router.flush")
    #expect(outputs["result"] == "expired" && outputs["opened"] == 0)
    #expect(outputs["outcomes"]?.arrayValue?.map { $0.objectValue?["url"] } == ["app://user/1"])
    #expect(try await launch.call("router.flush")["result"] == "none")
  }
}
