import FlowModel
import RouterCore
import Testing

struct RouteParametersTests {
  private func resolve(
    _ url: String, from source: RouteSource? = nil, payload: ValueObject = [:], isApproved: Bool = false,
    _ route: Route
  ) throws -> RouteResolution {
    try RouteTable([route], policy: seedPolicy(hosts: ["example.com"]))
      .resolve(url, from: source, payload: payload, isApproved: isApproved)
  }

  private func opened(_ resolution: RouteResolution) -> RouteParameters? {
    if case .open(_, let parameters) = resolution { parameters } else { nil }
  }

  private func verdict(_ resolution: RouteResolution) -> String {
    switch resolution {
    case .open: "open"
    case .blocked(_, _, let by): "blocked by \(by)"
    case .notFound: "not found"
    case .rejected(let rejection): "\(rejection.reason.rawValue) \(rejection.parameter ?? "")"
    }
  }

  @Test func `prefers path parameters to payload parameters, and these to query parameters (N41)`() throws {
    let resolution = try resolve(
      "app://product/12345?productId=query&name=query&ref=query",
      payload: ["name": "iPhone", "productId": 7, "price": "7999"],
      Route("app://product/:productId"))
    let parameters = try #require(opened(resolution))
    #expect(parameters.merged == ["productId": "12345", "name": "iPhone", "price": "7999", "ref": "query"])
    #expect(parameters.payload["productId"] == 7)
    #expect(
      parameters.collisions.map { [$0.name, $0.kept.rawValue] + $0.hidden.map(\.rawValue) } == [
        ["productId", "path", "payload", "query"], ["name", "payload", "query"],
      ])
  }

  @Test func `combines the identifier from the path with the message from the payload (N29)`() throws {
    let resolution = try resolve(
      "app://notification/n-7", payload: ["message": "Hello"], Route("app://notification/:notificationId"))
    #expect(opened(resolution)?.merged == ["notificationId": "n-7", "message": "Hello"])
  }

  @Test func `splits lists in a query only in the requested style`() throws {
    let resolution = try resolve("app://search?tag=a,b&tag=c&kind[]=x&kind[]=y", Route("app://search"))
    let parameters = try #require(opened(resolution))
    #expect(parameters.queryList("tag") == ["a,b", "c"])
    #expect(parameters.queryList("tag", style: .commas) == ["a", "b", "c"])
    #expect(parameters.queryList("kind") == [])
    #expect(parameters.queryList("kind", style: .brackets) == ["x", "y"])
  }

  @Test func `opens a sensitive route for the app itself, and for other sources only with approval`() throws {
    let route = Route(try RoutePattern("app://pay/:id"), isSensitive: true)
    for source in RouteSource.allCases {
      let expected = source == .internal ? "open" : "blocked by sensitive"
      #expect(try verdict(resolve("app://pay/1", from: source, route)) == expected)
      #expect(try verdict(resolve("app://pay/1", from: source, isApproved: true, route)) == "open")
    }
  }

  @Test func `opens a route only from its declared sources`() throws {
    let route = Route(try RoutePattern("app://pay/:id"), sources: [.notification])
    #expect(try verdict(resolve("app://pay/1", from: .notification, route)) == "open")
    #expect(try verdict(resolve("app://pay/1", route)) == "blocked by sources")
    #expect(try verdict(resolve("https://example.com/pay/1", route)) == "blocked by sources")
    #expect(try verdict(resolve("app://pay/1", from: .internal, isApproved: true, route)) == "blocked by sources")
  }

  @Test(arguments: [
    ("app://login?next=app%3A%2F%2Fhome", "open"), ("app://login?next=https://example.com/home", "open"),
    ("app://login?next=https://evil.example/", "url-parameter-not-allowed next"),
    ("app://login?next=//evil.example/", "parameter-type-mismatch next"),
    ("app://login?next=javascript:alert(1)", "url-parameter-not-allowed next"),
    ("app://login?page=x", "parameter-type-mismatch page"), ("app://login?page=3", "open"), ("app://login", "open"),
    ("app://login?page=", "parameter-type-mismatch page"),
  ])
  func `refuses values of the wrong type and URLs whose scheme or host is not allowed`(url: String, expected: String)
    throws
  {
    let route = Route(try RoutePattern("app://login"), parameterTypes: ["next": .url, "page": .integer])
    #expect(try verdict(resolve(url, route)) == expected)
  }

  @Test func `refuses payload parameters whose type or URL is not allowed`() throws {
    let route = Route(try RoutePattern("app://login"), parameterTypes: ["next": .url, "page": .integer])
    #expect(try verdict(resolve("app://login", payload: ["page": 3, "next": "app://x"], route)) == "open")
    #expect(try verdict(resolve("app://login", payload: ["page": "3"], route)) == "open")
    #expect(try verdict(resolve("app://login", payload: ["page": true], route)) == "parameter-type-mismatch page")
    #expect(
      try verdict(resolve("app://login", payload: ["next": "ftp://x"], route)) == "url-parameter-not-allowed next")
  }

  @Test func `refuses a URL in the path whose host is not allowed`() throws {
    let route = try Route("app://go/:to<url>")
    #expect(try verdict(resolve("app://go/app%3A%2F%2Fhome", route)) == "open")
    #expect(try verdict(resolve("app://go/https%3A%2F%2Fevil.example", route)) == "url-parameter-not-allowed to")
  }

  @Test func `hides secret parameters in logs, replaces control characters and truncates long texts`() {
    #expect(
      Redaction.forLog("app://a?q=1&accessToken=x&PASSWORD=y&authCode=z&page=2#oauth_token=w")
        == "app://a?q=1&accessToken=[redacted]&PASSWORD=[redacted]&authCode=[redacted]&page=2#oauth_token=[redacted]")
    #expect(Redaction.forLog("a\nb\u{202E}c") == "a\u{FFFD}b\u{FFFD}c")
    #expect(Redaction.forLog(String(repeating: "x", count: 257)).count == 256)
    #expect(Redaction.forLog(String(repeating: "x", count: 256)) == String(repeating: "x", count: 256))
  }
}
