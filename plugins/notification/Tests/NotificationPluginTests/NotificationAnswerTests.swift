import FlowModel
import FlowPluginKit
import FlowTestKit
import Testing

@testable import NotificationPlugin

/// Tests buttons and replies of notifications, and payloads from services that can send only strings.
struct NotificationAnswerTests {
  private func parse(_ payload: Value) async throws -> ValueObject {
    try await host(FakeCenter()).call(ParsePayload.self, with: ["payload": payload])
  }

  @Test(
    arguments: [
      (nil, "app://chat/1", "default"), ("com.apple.UNNotificationDefaultActionIdentifier", "app://chat/1", "default"),
      ("MARK_READ", nil, "MARK_READ"), ("com.apple.UNNotificationDismissActionIdentifier", nil, "dismiss"),
    ] as [(String?, String?, String)])
  func `returns the action and the reply of a response, and its route only for a tap`(
    identifier: String?, route: String?, action: String
  ) async throws {
    let outputs = try await parse([
      "actionIdentifier": identifier.map(Value.string) ?? .null, "userText": "hi",
      "notification": ["request": ["content": ["userInfo": ["route": "app://chat/1"]]]],
    ])
    #expect(outputs["route"] == route.map(Value.string) ?? .null)
    #expect(outputs["action"] == .string(action) && outputs["reply"] == "hi")
    #expect(try await parse(["route": "app://chat/1"])["action"] == .null)
  }

  @Test func `treats a response with an invalid action identifier as neither a tap nor a button`() async throws {
    let problem: Value = "the response's 'actionIdentifier' is empty or not a text, so the response opens nothing"
    for identifier: Value in [7, "", ["SHOW"]] {
      let outputs = try await parse([
        "actionIdentifier": identifier,
        "notification": ["request": ["content": ["userInfo": ["route": "app://chat/1"]]]],
      ])
      #expect(outputs["route"] == .null && outputs["action"] == .null)
      #expect(outputs["warnings"] == [problem])
    }
  }

  @Test func `reads the content of a local notification, which has no alert in its payload`() async throws {
    let base: ValueObject = [
      "title": "Timer", "body": "Time for a break", "badge": 2, "sound": "bell.caf", "categoryIdentifier": "TIMER",
    ]
    func outputs(_ userInfo: ValueObject) async throws -> ValueObject {
      var content = base
      content["userInfo"] = .object(userInfo)
      return try await parse(["notification": ["request": ["content": .object(content)]]])
    }
    let local = try await outputs(["route": "app://a"])
    #expect(local["title"] == "Timer" && local["body"] == "Time for a break" && local["badge"] == 2)
    #expect(local["sound"] == "bell.caf" && local["category"] == "TIMER")
    let remote = try await outputs(["route": "app://a", "aps": ["alert": ["title": "A", "body": "B"], "badge": 1]])
    #expect(remote["title"] == "A" && remote["body"] == "B" && remote["badge"] == 1)
  }

  @Test func `reads parameters from a JSON string, and the key of a localized alert`() async throws {
    let outputs = try await parse([
      "aps": ["alert": ["title-loc-key": "SALE_TITLE", "loc-key": "SALE_BODY"]], "route": "app://a",
      "parameters": #"{"price":"7999"}"#,
    ])
    #expect(outputs["parameters"] == ["price": "7999"])
    #expect(outputs["title"] == "SALE_TITLE" && outputs["body"] == "SALE_BODY")
    #expect(outputs["warnings"] == [])
  }

  @Test func `reads the nested localization keys in the alert of a Live Activity`() async throws {
    let activity = try await parse([
      "aps": ["alert": ["title": ["loc-key": "%@ is here", "loc-args": ["Power"]], "body": ["loc-key": "GO"]]],
      "route": "app://a",
    ])
    #expect(activity["title"] == "%@ is here" && activity["body"] == "GO")
  }

  @Test func `passes a tapped button to the router and posts notification.acted`() async throws {
    let (center, app) = (FakeCenter(), FakeApp())
    let host = host(center, app)
    async let service = host.call(ReceiveNotifications.self)
    _ = await host.readied()
    for action in ["com.apple.UNNotificationDismissActionIdentifier", "SHOW", nil] {
      center.deliver(.tapped, ["route": "app://chat/1"], action: action)
    }
    while center.completions.count < 3 { await Task.yield() }
    host.cancel()
    _ = try? await service
    #expect(app.opened.map(\.action) == ["SHOW", "default"])
    #expect(host.posts == ["notification.acted", "notification.tapped"])
  }
}
