import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterPlugin
import Testing

/// Tests links that open the app while it is running.
@Suite(.timeLimit(.minutes(10))) struct ReceiveLinksTests {
  private func received(_ event: String, _ value: Value) async throws -> Launch {
    let launch = Launch(isReady: true)
    _ = try await launch.call(
      "router.register", ["schemes": ["app"], "hosts": ["example.com"], "routes": ["app://user/:id"]])
    async let service = launch.call("router.receive")
    _ = await launch.host.readied()
    #expect(launch.host.deliver(event, value: value))
    while launch.host.handledPosts < 1 { await Task.yield() }
    launch.host.cancel()
    _ = try? await service
    return launch
  }

  @Test(
    arguments: [
      ("app.open-url", "app://user/1", "app://user/1", "url-scheme"),
      ("app.open-url", ["url": "app://user/1", "options": .null], "app://user/1", "url-scheme"),
      (
        "app.continue-user-activity",
        ["activityType": "NSUserActivityTypeBrowsingWeb", "webpageURL": "https://example.com/user/1"],
        "https://example.com/user/1", "universal-link"
      ),
      (
        "scene.open-url-contexts", [["url": "app://nowhere/1"], ["url": "app://user/2"]], "app://user/2", "url-scheme"
      ),
      ("scene.open-url-contexts", ["url": "app://user/3"], "app://user/3", "url-scheme"),
    ] as [(String, Value, String, String)])
  func `posts router.link with the URL and its source for each event that delivers a link`(
    event: String, value: Value, url: String, source: String
  ) async throws {
    let host = try await received(event, value).host
    #expect(host.posts == ["router.link"])
    #expect(host.postedValues == [["url": .string(url), "parameters": [:], "source": .string(source)]])
  }

  @Test(
    arguments: [("app.continue-user-activity", ["activityType": "x"]), ("app.open-url", .null)] as [(String, Value)])
  func `posts nothing for an event without a URL`(event: String, value: Value) async throws {
    #expect(try await received(event, value).host.posts.isEmpty)
  }
}
