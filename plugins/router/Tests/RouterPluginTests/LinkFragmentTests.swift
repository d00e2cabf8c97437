import FlowModel
import FlowPluginKit
import FlowTestKit
import RouterCore
import RouterPlugin
import Testing

/// Tests links with a fragment, the part after `#`.
struct LinkFragmentTests {
  private func launch(_ fragment: String?) async throws -> Launch {
    let launch = Launch(isReady: true)
    _ = try await launch.call(
      "router.register",
      [
        "schemes": ["app"], "hosts": ["example.com"], "fragment": fragment.map(Value.string) ?? .null,
        "routes": [
          ["pattern": "app://callback", "types": ["count": "int"]], "app://page", "app://page/inner/:id",
        ],
      ])
    return launch
  }

  @Test func `does not match the fragment by default`() async throws {
    let launch = try await launch(nil)
    let outputs = try await launch.call("router.open", ["url": "app://page#/inner/1"])
    #expect(outputs["page"] == "page" && outputs["fragment"] == "/inner/1" && outputs["merged"] == [:])
    #expect(try await launch.call("router.open", ["url": "app://page"])["fragment"] == .null)
  }

  @Test func `reads parameters from the fragment, with the lowest precedence`() async throws {
    let launch = try await launch("parameters")
    let outputs = try await launch.call(
      "router.open",
      ["url": "app://callback?state=q#access_token=T0PSECRET%26x&state=f&count=3&count=4", "parameters": ["from": "p"]])
    #expect(outputs["result"] == "opened")
    #expect(outputs["merged"] == ["from": "p", "state": "q", "access_token": "T0PSECRET&x", "count": 3])
    #expect(
      outputs["parameters"]?.objectValue?["fragment"]
        == ["access_token": ["T0PSECRET&x"], "state": ["f"], "count": [3, 4]])
    #expect(outputs["fragment"] == "access_token=T0PSECRET&x&state=f&count=3&count=4")
  }

  @Test func `hides fragment parameters in logs, reports and restored pages`() async throws {
    let launch = try await launch("parameters")
    let outputs = try await launch.call("router.open", ["url": "app://callback#plain=T0PSECRET&other=T0PSECRET"])
    #expect(outputs["shown"] == ["plain": "[redacted]", "other": "[redacted]"])
    #expect(!launch.host.logLines.contains { $0.message.contains("T0PSECRET") || $0.message.contains("plain") })
    let page = try #require(launch.interface.opened.first)
    #expect(page.secretParameters == ["plain", "other"] && !page.isRestorable)
  }

  @Test(arguments: ["%0A", "%C2%85"])
  func `if a fragment parameter is invalid, reports it, keeps the others and omits the fragment text`(
    control: String
  ) async throws {
    let launch = try await launch("parameters")
    let outputs = try await launch.call(
      "router.open", ["url": .string("app://callback#state=a&text=one\(control)two")])
    #expect(outputs["merged"] == ["state": "a"] && outputs["fragment"] == .null)
    #expect(outputs["ignored"] == ["fragment 'text': a control character is not allowed in a link"])
  }

  @Test(
    arguments: [
      ("app://page/#/inner/1", "page/inner/:id", ["id": "1"]), ("app://page#!/inner/1", "page/inner/:id", ["id": "1"]),
      ("https://example.com/page#/inner/1", "page/inner/:id", ["id": "1"]),
      ("app://page?a=1#/inner/2?b=3", "page/inner/:id", ["id": "2", "a": "1", "b": "3"]),
      ("app://#/page", "page", [:]), ("app://page#section", "page", [:]), ("app://page#", "page", [:]),
    ] as [(String, String, ValueObject)])
  func `appends the fragment to the path if configured and if it begins with a slash`(
    url: String, route: String, merged: ValueObject
  ) async throws {
    let outputs = try await launch("path").call("router.open", ["url": .string(url)])
    #expect(outputs["result"] == "opened" && outputs["url"] == .string(url))
    #expect(outputs["route"]?.stringValue?.hasSuffix(route) == true)
    #expect(outputs["merged"] == .object(merged))
  }

  @Test func `applies the security checks to a fragment that extends the path`() async throws {
    let launch = try await launch("path")
    for url in ["app://page#/../inner", "app://page#/inner/%0a"] {
      #expect(try await launch.call("router.open", ["url": .string(url)])["result"] == "rejected")
    }
  }
}
