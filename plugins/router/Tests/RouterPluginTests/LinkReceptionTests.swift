import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterPlugin
import Testing

/// Tests received links: the pages that they open and the parts of them that are logged.
struct LinkReceptionTests {
  @Test(
    arguments: [
      (.background, ["remoteNotification": ["aps": ["content-available": 1], "route": "app://a"]], nil, "receipt"),
      (.background, ["remoteNotification": ["aps": ["alert": "x"], "route": "app://a"]], nil, "receipt"),
      (.location, ["remoteNotification": ["route": "app://a"], "location": true], nil, "receipt"),
      (.user, ["localNotification": ["userInfo": ["route": "app://a"]]], nil, "receipt"),
      (.background, ["notificationResponse": ["userInfo": ["route": "app://a"]]], nil, "receipt"),
      (.notification, ["remoteNotification": ["aps": ["content-available": 1], "route": "app://a"]], nil, "receipt"),
      (
        .notification, ["remoteNotification": ["aps": ["content-available": true], "route": "app://a"]], nil, "receipt"
      ),
      (
        .notification,
        ["remoteNotification": ["aps": ["content-available": 1, "alert": [:]], "route": "app://a"]], nil, "receipt"
      ),
      (
        .notification,
        ["remoteNotification": ["aps": ["content-available": 0, "alert": "x"], "route": "app://a"]], "app://a", "tap"
      ),
      // A notification button can launch the app in the background.
      (
        .background, ["notificationResponse": ["actionIdentifier": "REPLY", "userInfo": ["route": "app://a"]]], nil,
        "action"
      ),
      (.notification, ["remoteNotification": ["aps": ["alert": "x"], "route": "app://a"]], "app://a", "tap"),
      (
        .notification,
        [
          "notificationResponse": [
            "actionIdentifier": "com.apple.UNNotificationDefaultActionIdentifier",
            "notification": ["request": ["identifier": "n", "content": ["userInfo": ["route": "app://a"]]]],
          ]
        ], "app://a", "tap"
      ),
      (
        .notification,
        [
          "notificationResponse": [
            "actionIdentifier": "com.apple.UNNotificationDismissActionIdentifier",
            "notification": ["request": ["identifier": "n", "content": ["userInfo": ["route": "app://a"]]]],
          ]
        ], nil, "receipt"
      ),
      (
        .url,
        [
          "userActivityDictionary": ["UIApplicationLaunchOptionsUserActivityKey": ["webpageURL": "https://a.example/b"]]
        ],
        "https://a.example/b", nil
      ),
    ] as [(LaunchReason, ValueObject, String?, String?)])
  func `returns the link of a tapped notification, but not of a received one (C3, N16, N25)`(
    reason: LaunchReason, options: ValueObject, url: String?, arrival: String?
  ) async throws {
    let launch = Launch(options: FlowModel.Launch(reason: reason, options: options))
    let outputs = try await launch.call("router.launch-link")
    #expect(outputs["url"] == (url.map(Value.string) ?? .null))
    #expect(outputs["arrival"] == (arrival.map(Value.string) ?? .null))
  }

  @Test(
    arguments: [
      (["route": 7], "no-route: the payload's 'route' is not a text"),
      (["route": ""], "no-route: the payload's 'route' is empty"),
      (["aps": [:]], "no-route: the payload has no 'route', so a tap opens nothing; send the complete route"),
      (
        ["route": "app://a", "parameters": "token=SECRET"],
        "the payload's 'parameters' are not an object and are left out"
      ),
    ] as [(ValueObject, String)])
  func `warns about an invalid payload of a tap (N18, N19, N35)`(payload: ValueObject, warning: String) async throws {
    let launch = Launch(
      options: FlowModel.Launch(reason: .notification, options: ["remoteNotification": .object(payload)]))
    _ = try await launch.call("router.launch-link")
    #expect(launch.host.logs.contains(warning))
  }

  @Test func `presents a page if its route requires it, and logs the presentation (N13)`() async throws {
    let launch = Launch(isReady: true)
    try await launch.register()
    let outputs = try await launch.call("router.open", ["url": "app://settings"])
    #expect(outputs["action"] == "present")
    #expect(launch.interface.opened.map(\.presentation) == [.present])
    #expect(launch.host.logs.contains { $0.contains("opened settings, presented, by app://settings") })
    #expect(try await launch.call("router.open", ["url": "app://search"])["action"] == "push")
  }

  @Test func `adds the route's default parameters to a link (N29)`() async throws {
    let launch = Launch(isReady: true)
    _ = try await launch.call(
      "router.register",
      [
        "schemes": ["app"],
        "routes": [
          [
            "pattern": "app://notification/:notificationId?",
            "defaults": ["notificationId": "未知", "message": "无"],
          ]
        ],
      ])
    #expect(
      try await launch.call("router.open", ["url": "app://notification"])["merged"]
        == ["notificationId": "未知", "message": "无"])
    #expect(
      try await launch.call("router.open", ["url": "app://notification/7", "parameters": ["message": "hello"]])[
        "merged"]
        == ["notificationId": "7", "message": "hello"])
  }

  @Test func `hides the secrets of a link in the log, in any encoding`() async throws {
    let launch = Launch(isReady: true)
    _ = try await launch.call(
      "router.register",
      ["schemes": ["app"], "routes": ["app://reset/:token", "app://login", ["pattern": "app://in/:to<url>"]]])
    for url in [
      "app://reset/SECRET", "app://reset/SECRET/x", "app://login?to%6ben=SECRET",
      "app://login?next=app%3A%2F%2Fa%3Ftoken%3DSECRET",
      "app://in/app:%2F%2Fa%3Fcode%3DSECRET", "app://me:SECRET@login",
    ] {
      let outputs = try await launch.call("router.open", ["url": .string(url)])
      #expect(!JSONText.write(outputs["shown"] ?? .null).contains("SECRET"))
      _ = try await launch.call("router.hold", ["url": .string(url), "scope": "other"])
    }
    #expect(!launch.host.logs.contains { $0.contains("SECRET") })
  }
}
