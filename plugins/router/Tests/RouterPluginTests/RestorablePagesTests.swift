import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterPlugin
import Testing

/// Tests the pages that the next launch may restore, and their saved parameters.
struct RestorablePagesTests {
  @Test(
    arguments: [
      // Each case: the route, the link, its parameters, and the saved parameters, or nil if the page is not saved.
      ("app://page/:id", "app://page/1?ref=mail", [:], ["id": "1", "ref": "mail"]),
      ("app://page/:id", "app://page/1?token=SECRET-9", [:], nil),
      ("app://page/:id", "app://page/1", ["next": "app://a?code=SECRET-9"], nil),
      ("app://page/:id", "app://page/1", ["user": ["password": "SECRET-9"]], nil),
      ("app://page/:token", "app://page/SECRET-9", [:], nil),
      // The value is a secret of the run although the parameter's name does not suggest it.
      ("app://page/:id", "app://page/TOPSECRET", [:], nil),
      ("app://page/:id", "app://page/1", ["x": ["TOPSECRET"]], nil),
      (["pattern": "app://page/:id", "sensitive": true], "app://page/1", [:], nil),
      (["pattern": "app://page/:id", "restorable": false], "app://page/1", [:], nil),
      (
        ["pattern": "app://page/:id", "sensitive": true, "restorable": true], "app://page/1?token=SECRET-9", [:],
        ["id": "1"]
      ),
      (
        ["pattern": "app://page/:id", "restorable": true, "defaults": ["tone": "plain"]], "app://page/1?x=TOPSECRET",
        [:], ["tone": "plain"]
      ),
    ] as [(Value, String, ValueObject, ValueObject?)])
  func `saves a page with a secret or a sensitive route only if the route is restorable, and omits secrets`(
    route: Value, url: String, parameters: ValueObject, saved: ValueObject?
  ) async throws {
    for isHeld in [false, true] {
      let launch = Launch(isReady: !isHeld)
      launch.host.setSecrets(["TOPSECRET"])
      _ = try await launch.call("router.register", ["schemes": ["app"], "routes": [route]])
      let outputs = try await launch.call(
        "router.open", ["url": .string(url), "parameters": .object(parameters), "source": "internal"])
      #expect(outputs["result"] == (isHeld ? "deferred" : "opened"))
      if isHeld {
        launch.interface.setReady(true)
        _ = try await launch.flush()
      }
      #expect(launch.interface.opened.map(\.saved?.parameters) == [saved])
    }
  }

  @Test func `does not save a page if its link was held with a secret, even if a later run opens it`() async throws {
    let store = FakeStore()
    let first = Launch(store: store)
    first.host.setSecrets(["TOPSECRET"])
    try await first.register(pending: ["persist": true])
    _ = try await first.call("router.hold", ["url": "app://user/TOPSECRET"])
    let second = Launch(store: store)
    try await second.register(pending: ["persist": true])
    second.interface.setReady(true)
    #expect(try await second.flush()["page"] == "user")
    #expect(second.interface.opened.map(\.isRestorable) == [false])
  }
}
