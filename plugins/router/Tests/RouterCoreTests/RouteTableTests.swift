import FlowModel
import RouterCore
import Testing

struct RouteTableTests {
  /// The six routes listed in requirement N13.
  static let seedRoutes = [
    "app://user/:userId", "app://settings", "app://product/:productId", "app://search", "app://vip/:vipId",
    "app://notification/:notificationId",
  ]

  @Test func `resolves the six required routes, which are pushed by default (N13)`() throws {
    var routes = try Self.seedRoutes.map { try Route($0) }
    routes[1] = try Route("app://settings", action: .present)
    let table = try RouteTable(routes, policy: seedPolicy())
    #expect(table.pathParameters("app://user/42") == ["userId": "42"])
    #expect(table.pathParameters("app://product/123") == ["productId": "123"])
    #expect(table.pathParameters("app://vip/999") == ["vipId": "999"])
    #expect(table.pathParameters("app://notification/n-1") == ["notificationId": "n-1"])
    #expect(table.outcome("app://search") == "app://search")
    guard case .match(let settings) = table.lookUp("app://settings") else {
      Issue.record("no match")
      return
    }
    #expect(settings.route.page == "settings")
    #expect(settings.route.action == .present)
    #expect(table.routes[0].action == .push)
  }

  @Test func `treats the alias myapp like the scheme app (N33, C6)`() throws {
    #expect(try table(Self.seedRoutes).pathParameters("myapp://product/123") == ["productId": "123"])
  }

  @Test(arguments: [
    ("app://user/me", "user/:userId"), ("app://user/me/profile", "user/me/profile"),
    ("APP://product/123", "product/:productId"), ("app://Product/123", "product/:productId"),
    ("app://product/a%2Fb", "product/:productId"), ("app://product//123", "product/:productId"),
    ("app:///product/123", "product/:productId"), ("app://product/123/", "product/:productId"),
    ("app:product/123", "rejected malformed-url"), ("app://user:pw@product/123", "rejected userinfo-not-allowed"),
    ("app://files", "not found"), ("app://files/", "not found"), ("app://files/a", "files/**"),
    ("app://files/a/b/c", "files/**"), ("app://files/special", "files/special"),
    ("app://files/special/more", "files/**"), ("javascript:alert(1)", "rejected scheme-not-allowed"),
    ("app://product/👨‍👩‍👧‍👦x", "product/:productId"), ("app://user/me/profile/extra", "not found"),
    ("app://user", "not found"), ("app://search/more", "not found"), ("app://search?unknown=1", "search"),
    ("app://settings?class=NSObject&selector=x", "settings"), ("app://user/ME/profile", "not found"),
  ])
  func `resolves or rejects each URL, even those that other Swift routers get wrong`(url: String, expected: String)
    throws
  {
    let routes = [
      "user/:userId", "user/me/profile", "settings", "product/:productId", "search", "files/**", "files/special",
    ]
    #expect(try table(routes).outcome(url) == expected)
  }

  @Test func `compares the first segment case-sensitively if the policy requires it`() throws {
    var policy = try seedPolicy()
    policy.caseSensitiveHost = true
    #expect(try table(["Product/:id"], policy: policy).outcome("app://product/1") == "not found")
    #expect(try table(["Product/:id"], policy: policy).outcome("app://Product/1") == "Product/:id")
    #expect(try table(["Product/:id"]).outcome("app://pRODUCT/1") == "Product/:id")
  }

  @Test func `preserves the case of a first segment that is a parameter`() throws {
    #expect(try table([":name"]).pathParameters("app://Alice") == ["name": "Alice"])
  }

  @Test func `prefers literals, then more specific types, then untyped parameters, then wildcards`() throws {
    let routes = [
      "a/**", "a/*/x", "a/:text", "a/:slug<slug>", "a/:double<double>", "a/:int<int>", "a/:uint<uint>",
      "a/:date<date>", "a/:uuid<uuid>", "a/:bool<bool>", "a/:word<enum(on,off)>", "a/exact", "a/:url<url>",
    ]
    let expected = [
      "app://a/exact": "a/exact", "app://a/on": "a/:word<enum(on,off)>", "app://a/true": "a/:bool<bool>",
      "app://a/5F0C1C3A-3B5E-4E63-8F0B-0123456789AB": "a/:uuid<uuid>", "app://a/2026-02-28": "a/:date<date>",
      "app://a/2026-02-29": "a/:slug<slug>", "app://a/7": "a/:uint<uint>", "app://a/-7": "a/:int<int>",
      "app://a/7.5": "a/:double<double>", "app://a/1e999": "a/:slug<slug>", "app://a/some-thing": "a/:slug<slug>",
      "app://a/Some Thing": "a/:text", "app://a/app%3A%2F%2Fb": "a/:url<url>", "app://a/b/x": "a/*/x",
      "app://a/b/y": "a/**",
    ]
    let forwards = try table(routes)
    let backwards = try table(routes.reversed())
    for (url, pattern) in expected {
      #expect(forwards.outcome(url) == pattern, "\(url)")
      #expect(backwards.outcome(url) == pattern, "\(url)")
    }
  }

  @Test func `backtracks through any number of segments`() throws {
    let table = try table(["a/b/c/d", "a/:x/c/e", "a/*/:y<int>/f", ":z/b/c/7/**", "**/g"])
    #expect(table.outcome("app://a/b/c/d") == "a/b/c/d")
    #expect(table.outcome("app://a/b/c/e") == "a/:x/c/e")
    #expect(table.outcome("app://a/b/7/f") == "a/*/:y<int>/f")
    #expect(table.pathParameters("app://a/b/c/7/x") == ["z": "a", "rest": "x"])
    #expect(table.outcome("app://a/b/c/d/e/f/g") == "**/g")
    #expect(table.outcome("app://a/b/c/f") == "not found")
  }

  @Test func `preserves the JSON type of typed parameters`() throws {
    let table = try table(["t/:i<int>/:d<double>/:b<bool>/:s/:u<uint>"])
    #expect(
      table.pathParameters("app://t/%2D5/2.50/true/007/18446744073709551615")
        == ["i": -5, "d": 2.5, "b": true, "s": "007", "u": "18446744073709551615"])
  }

  @Test func `matches an optional last segment with and without it`() throws {
    let table = try table(["user/:id<int>?", "user/:name?", "user/me/:tab?"])
    #expect(table.pathParameters("app://user") == [:])
    #expect(table.outcome("app://user") == "user/:id<int>?")
    #expect(table.pathParameters("app://user/5") == ["id": 5])
    #expect(table.pathParameters("app://user/ann") == ["name": "ann"])
    #expect(table.outcome("app://user/me") == "user/me/:tab?")
    #expect(table.pathParameters("app://user/me/photos") == ["tab": "photos"])
  }

  @Test func `captures parameters after two asterisks`() throws {
    #expect(try table(["a/**/by/:id"]).pathParameters("app://a/x/y/by/by/7") == ["rest": "x/y/by", "id": "7"])
    #expect(try table(["a/**/by/:id"]).outcome("app://a/by/7") == "not found")
  }

  @Test func `uses the routes of a host together with those for all hosts`() throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["example.com", "*.shop.example"])
    let table = try table(
      ["product/:id", "https://*.shop.example/product/:sku", "https://my.shop.example/product/:mine"], policy: policy)
    #expect(table.pathParameters("https://example.com/product/1") == ["id": "1"])
    #expect(table.pathParameters("https://a.shop.example/product/1") == ["sku": "1"])
    #expect(table.pathParameters("https://my.shop.example/product/1") == ["mine": "1"])
    #expect(table.pathParameters("app://product/1") == ["id": "1"])
  }

  @Test(arguments: [false, true])
  func `prefers the more specific wildcard host regardless of the order`(isReversed: Bool) throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["*.example.com", "*.b.a.example.com"])
    let patterns = [
      "https://*.example.com/p/:far", "https://*.a.example.com/p/:near", "https://x.b.a.example.com/p/:exact",
      "https://*.b.a.example.com/p/:nearest",
    ]
    let table = try table(isReversed ? patterns.reversed() : patterns, policy: policy)
    #expect(table.pathParameters("https://x.example.com/p/1") == ["far": "1"])
    #expect(table.pathParameters("https://x.a.example.com/p/1") == ["near": "1"])
    #expect(table.pathParameters("https://y.b.a.example.com/p/1") == ["nearest": "1"])
    #expect(table.pathParameters("https://x.b.a.example.com/p/1") == ["exact": "1"])
    #expect(table.shadowedRoutes().isEmpty)
  }

  @Test func `compares the path of a universal link case-sensitively, but not the scheme and the host`() throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["example.com", "*.shop.example"])
    let table = try table(["settings", "Profile/:id", "https://*.shop.example/Cart"], policy: policy)
    #expect(table.outcome("HTTPS://EXAMPLE.com/settings") == "settings")
    #expect(table.outcome("https://example.com/SETTINGS") == "not found")
    #expect(table.outcome("https://example.com/Profile/1") == "Profile/:id")
    #expect(table.outcome("https://example.com/profile/1") == "not found")
    #expect(table.outcome("https://my.shop.example/Cart") == "https://*.shop.example/Cart")
    #expect(table.outcome("https://my.shop.example/cart") == "not found")
    #expect(table.outcome("APP://SETTINGS") == "settings")
    #expect(table.outcome("app://profile/1") == "Profile/:id")
  }

  @Test func `distinguishes routes by the case of their first segment in universal links`() throws {
    let policy = try seedPolicy(hosts: ["example.com"])
    let table = try table(["app://Shop/sale", "app://shop/:id", "app://SHOP/x/:tab?", ":page/**"], policy: policy)
    #expect(table.outcome("https://example.com/shop/7") == "app://shop/:id")
    #expect(table.outcome("https://example.com/shop/sale") == "app://shop/:id")
    #expect(table.outcome("https://example.com/Shop/sale") == "app://Shop/sale")
    #expect(table.outcome("https://example.com/Shop/7") == ":page/**")
    #expect(table.outcome("https://example.com/SHOP/x") == "app://SHOP/x/:tab?")
    #expect(table.outcome("https://example.com/sHOP/x") == ":page/**")
    // A custom scheme compares all of these routes in one tree.
    #expect(table.outcome("app://SHOP/sale") == "app://Shop/sale")
    #expect(table.outcome("app://Shop/7") == "app://shop/:id")
    #expect(table.outcome("app://shop/x/y") == "app://SHOP/x/:tab?")
    #expect(table.shadowedRoutes().isEmpty)
  }

  @Test func `refuses two routes that are the same for a custom scheme, and explains why`() throws {
    let policy = try seedPolicy(hosts: ["example.com"])
    let patterns = ["app://Shop/:id", "app://shop/:number"]
    let problems = #expect(throws: RouteProblems.self) { try table(patterns, policy: policy) }?.problems ?? []
    #expect(problems.map(\.kind) == [.duplicateRoute])
    #expect(
      problems.first?.help
        == "a custom scheme compares the first segment without case: rename one, or set 'case-sensitive-host: true'")
    var sensitive = policy
    sensitive.caseSensitiveHost = true
    #expect(try table(patterns, policy: sensitive).outcome("app://shop/1") == "app://shop/:number")
  }

  @Test func `refuses a wildcard host if the policy allows only the host itself`() throws {
    let policy = try seedPolicy(hosts: ["a.example.com", "*.b.example.com"])
    #expect(throws: RouteProblems.self) { try table(["https://*.a.example.com/x"], policy: policy) }
    #expect(throws: RouteProblems.self) { try table(["https://b.example.com/x"], policy: policy) }
    #expect(throws: Never.self) {
      try table(["https://*.c.b.example.com/x", "https://a.example.com/y"], policy: policy)
    }
  }

  @Test func `passes the segments matched by two asterisks to the page`() throws {
    #expect(try table(["files/**"]).pathParameters("app://files/a/b%20c/d") == ["rest": "a/b c/d"])
    #expect(try table(["a/**/by/:id"]).pathParameters("app://a/x/y/by/by/7") == ["rest": "x/y/by", "id": "7"])
    // An encoded slash inside a segment stays encoded, which distinguishes it from the separators.
    #expect(try table(["files/**"]).pathParameters("app://files/a%2Fb/c") == ["rest": "a%2Fb/c"])
    #expect(throws: RoutePatternError.self) { try RoutePattern("files/**/:rest") }
    #expect(throws: RoutePatternError.self) { try RoutePattern("files/:rest/**") }
    #expect(try table(["files/:rest"]).pathParameters("app://files/a") == ["rest": "a"])
  }

  @Test func `uses the priority only if two routes are equally specific`() throws {
    let policy = try seedPolicy()
    let routes = [
      Route(try RoutePattern("a/:b")), Route(try RoutePattern("a/:c"), priority: 1),
      Route(try RoutePattern("a/literal"), priority: -9),
    ]
    let table = try RouteTable(routes, policy: policy)
    #expect(table.outcome("app://a/x") == "a/:c")
    #expect(table.outcome("app://a/literal") == "a/literal")
  }

  @Test(arguments: [
    (["app://a/:b", "myapp://a/:c"], "duplicate-route", "'myapp://a/:c' matches the same URLs as 'app://a/:b'"),
    (["a/:b<int>", "A/:c<int>"], "duplicate-route", "'A/:c<int>' matches the same URLs as 'a/:b<int>'"),
    (["a/:b", "a/:c?"], "duplicate-route", "'a/:c?' matches the same URLs as 'a/:b'"),
    (["a/**", "x", "a/**"], "duplicate-route", "'a/**' matches the same URLs as 'a/**'"),
    (
      ["a/:b<enum(x,y)>", "a/:c<enum(y,x)>"], "duplicate-route",
      "'a/:c<enum(y,x)>' matches the same URLs as 'a/:b<enum(x,y)>'"
    ),
    (
      ["a/:b<enum(x,y)>", "a/:c<enum(y,z)>"], "ambiguous-route",
      "'a/:c<enum(y,z)>' and 'a/:b<enum(x,y)>' overlap, and neither is more specific"
    ),
    (["apq://a"], "unknown-scheme", "'apq://a' is for the scheme 'apq', which is not declared"),
    (
      ["https://example.org/a"], "unknown-host",
      "'https://example.org/a' is for the host 'example.org', which is not declared"
    ),
  ])
  func `reports conflicts and undeclared schemes and hosts`(patterns: [String], kind: String, message: String) throws {
    let problems = #expect(throws: RouteProblems.self) { try table(patterns) }?.problems ?? []
    #expect(problems.map(\.kind.rawValue) == [kind])
    #expect(problems.map(\.message) == [message])
    #expect(problems.first?.index == patterns.count - 1)
    #expect(problems.first?.relatedIndex == (patterns.count > 1 ? 0 : nil))
  }

  @Test func `reports all problems at once, and requires a page for a pattern without literals`() throws {
    let routes = try [Route(":a"), Route("x://y"), Route("b"), Route("b")]
    let problems = #expect(throws: RouteProblems.self) { try RouteTable(routes, policy: seedPolicy()) }?.problems ?? []
    #expect(problems.map(\.kind) == [.noPage, .unknownScheme, .duplicateRoute])
    #expect(
      problems.map(\.help) == [
        "add 'page'", "add 'x' to 'schemes'", "remove one, or give one of them a higher 'priority'",
      ])
  }

  @Test func `accepts at most 100,000 routes`() throws {
    var routes = try (0..<RouteTable.routeLimit).map { try Route("r\($0)") }
    #expect(throws: Never.self) { try RouteTable(routes, policy: seedPolicy()) }
    routes.append(try Route("one-more"))
    #expect(throws: RouteProblems.self) { try RouteTable(routes, policy: seedPolicy()) }
  }

  @Test func `suggests the most similar routes for a URL without a match (N40)`() throws {
    func nearest(_ url: String) throws -> [String] {
      guard case .notFound(let nearest) = try table(Self.seedRoutes).resolve(url) else { return ["found"] }
      return nearest
    }
    #expect(try nearest("app://prodcut/12") == ["app://product/:productId"])
    #expect(try nearest("app://user") == ["app://user/:userId"])
    #expect(try nearest("app://serch") == ["app://search"])
    #expect(try nearest("app://something/entirely/different") == [])
  }
}
