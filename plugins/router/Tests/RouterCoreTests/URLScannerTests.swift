import FlowModel
import RouterCore
import Testing

/// Tests each rule of the security checklist (CWE-939, MASWE-0058), and every limit at its boundary.
struct URLScannerTests {
  private func table(_ change: (inout URLPolicy) -> Void = { _ in }) throws -> RouteTable {
    var policy = try URLPolicy(
      schemes: ["app", "myapp"], hosts: ["example.com", "*.shop.example", "local.example:8443"])
    change(&policy)
    return try RouterCoreTests.table(["product/:id", "**"], policy: policy)
  }

  private static let refused: [(url: String, reason: String)] = [
    ("", "malformed-url"), ("product/123", "malformed-url"), ("/product/123", "malformed-url"),
    ("app", "malformed-url"), ("app:", "malformed-url"), ("app:/product", "malformed-url"),
    ("app:product/123", "malformed-url"), (":product", "malformed-url"), ("1app://product/1", "malformed-url"),
    ("a pp://product/1", "malformed-url"), (" app://product/1", "malformed-url"), ("app://[::1]/1", "malformed-url"),
    ("javascript:alert(1)", "scheme-not-allowed"), ("file:///etc/passwd", "scheme-not-allowed"),
    ("application://product/1", "scheme-not-allowed"), ("ap://product/1", "scheme-not-allowed"),
    ("http://example.com/product/1", "scheme-not-allowed"), ("data:text/html,x", "scheme-not-allowed"),
    ("app://user:pw@product/123", "userinfo-not-allowed"), ("app://user@product/123", "userinfo-not-allowed"),
    ("https://example.com@evil.example/product/1", "userinfo-not-allowed"),
    ("app://product:80/123", "port-not-allowed"), ("https://example.com:8443/product/1", "port-not-allowed"),
    ("https://example.com:x/product/1", "port-not-allowed"),
    ("https://evil.example/product/1", "host-not-allowed"), ("https://example.com.evil.example/", "host-not-allowed"),
    ("https://evilexample.com/product/1", "host-not-allowed"), ("https://shop.example/product/1", "host-not-allowed"),
    ("https://evilshop.example/product/1", "host-not-allowed"), ("https://[::1]/product/1", "host-not-allowed"),
    ("https://ｅxample.com/product/1", "host-not-allowed"), ("https://example.com%2eevil.example/", "host-not-allowed"),
    ("https:///product/1", "malformed-url"),
    ("app://product/a\u{0}b", "control-character"), ("app://product/a\nb", "control-character"),
    ("app://product/a\u{7F}b", "control-character"), ("app://product/a\u{85}b", "control-character"),
    ("app://product/%0a", "control-character"), ("app://product/%0D%0AX", "control-character"),
    ("\u{1}app://product/1", "control-character"), ("app://pro\u{2}duct/1", "control-character"),
    ("app://product/a\\b", "backslash"), ("app:\\\\product", "malformed-url"), ("app://\\evil", "backslash"),
    ("app://product/%5c..", "backslash"),
    ("app://product/..", "dot-segment"), ("app://product/../secret", "dot-segment"), ("app://../x", "dot-segment"),
    ("app://product/.", "dot-segment"), ("app://product/%2e%2E/x", "dot-segment"),
    ("app://product/.%2e", "dot-segment"),
    ("app://product/a%2F..%2Fb", "dot-segment"), ("app://product/..%2fb", "dot-segment"),
    ("app://product/%00", "null-byte"),
    ("app://product/%zz", "invalid-percent-encoding"), ("app://product/%", "invalid-percent-encoding"),
    ("app://product/%4", "invalid-percent-encoding"),
    ("app://product/%ff", "invalid-utf8"), ("app://product/%c0%af", "invalid-utf8"),
    ("app://product/%ed%a0%80", "invalid-utf8"), ("app://product/%e5%ae", "invalid-utf8"),
    ("app://product/%f4%90%80%80", "invalid-utf8"),
  ]

  @Test(arguments: refused)
  func `refuses URLs that violate a security rule`(url: String, reason: String) throws {
    #expect(try table().outcome(url) == "rejected \(reason)")
  }

  @Test(arguments: [
    "app://product/123", "APP://product/123", "MyApp://product/123", "https://example.com/product/123",
    "HTTPS://EXAMPLE.com/product/123", "https://example.com:443/product/123", "https://a.shop.example/product/123",
    "https://a.b.SHOP.example/product/123", "https://local.example:8443/product/123",
    "https://example.com./product/123", "https://ex%61mple.com/product/123", "app://product/123?a=b@c:d#e?f",
  ])
  func `accepts allowed URLs with the scheme and host in upper or lower case`(url: String) throws {
    #expect(try table().pathParameters(url) == ["id": "123"])
  }

  @Test func `refuses every web URL if no host is declared`() throws {
    let table = try RouterCoreTests.table(["**"])
    #expect(table.outcome("https://example.com/product/1") == "rejected scheme-not-allowed")
  }

  @Test(arguments: [
    ("app://product/a%2Fb", "a/b"), ("app://product/%E5%AE%B6%E5%B1%85", "家居"), ("app://product/家居", "家居"),
    ("app://product/a+b", "a+b"), ("app://product/a%20b", "a b"), ("app://product/👩‍👩‍👧%F0%9F%9A%80", "👩‍👩‍👧🚀"),
    ("app://product/%25", "%"), ("app://product/100%2525", "100%25"), ("app://product/a=b&c", "a=b&c"),
    ("app://product/..a", "..a"), ("app://product/...", "..."), ("app://pr%6Fduct/x", "x"),
  ])
  func `splits a URL before decoding each segment`(url: String, id: String) throws {
    #expect(try table().pathParameters(url) == ["id": .string(id)])
  }

  @Test func `decodes query items and preserves their order, including empty and missing values`() throws {
    guard case .match(let match) = try table().lookUp("app://product/1?b=2&a=%31%26&&b=3&c&=d&e=#f%20g") else {
      Issue.record("no match")
      return
    }
    #expect(match.url.queryItems.map(\.key) == ["b", "a", "b", "c", "", "e"])
    #expect(match.url.queryItems.map(\.value) == ["2", "1&", "3", "", "d", ""])
    #expect(match.url.fragment == "f g")
    let parameters = try match.parameters()
    #expect(parameters.query["b"] == ["2", "3"])
    #expect(parameters.merged["b"] == "2")
  }

  @Test(
    arguments: [
      ("?a=1&text=one%0Atwo&b=2", ["query 'text': a control character is not allowed in a link"]),
      ("?a=1&text=one\r\ntwo&b=2", ["query 'text': a control character is not allowed in a link"]),
      ("?a=1&b=2&discount=100%", ["query 'discount': '%' must be followed by two hexadecimal digits"]),
      ("?a=1&%g0=x&b=2", ["query: '%' must be followed by two hexadecimal digits"]),
      ("?a=1&x=%00&b=2", ["query 'x': '%00' is not allowed in a link"]),
      ("?a=1&x=%80&b=2", ["query 'x': the decoded text is not UTF-8"]),
      ("?a=1&x=%C2%85&b=2", ["query 'x': a control character is not allowed in a link"]),
      ("?a=1&x=\u{9f}&b=2", ["query 'x': a control character is not allowed in a link"]),
      ("?a=1&%C2%85=x&b=2", ["query: a control character is not allowed in a link"]),
      ("?a=1&next=\\\\evil&b=2", ["query 'next': a backslash is not allowed in a link"]),
      ("?a=1&b=2#%", ["fragment: '%' must be followed by two hexadecimal digits"]),
      ("?a=1&b=2#\t", ["fragment: a control character is not allowed in a link"]),
      ("?a=1&b=2#%C2%80", ["fragment: a control character is not allowed in a link"]),
    ])
  func `ignores an invalid parameter and accepts the rest of the link`(rest: String, ignored: [String]) throws {
    guard case .match(let match) = try table().lookUp("app://product/1" + rest) else {
      Issue.record("no match")
      return
    }
    #expect(match.url.queryItems.map(\.key) == ["a", "b"] && match.url.queryItems.map(\.value) == ["1", "2"])
    #expect(match.url.ignored == ignored)
    #expect(match.url.fragment == nil)
  }

  @Test func `counts ignored parameters toward the limit of 64`() throws {
    let items = Array(repeating: "a=%", count: 65).joined(separator: "&")
    #expect(try table().outcome("app://product/1?" + items) == "rejected too-many-query-items")
  }

  @Test func `decodes plus as a space only if configured, and never in the path`() throws {
    func query(_ table: RouteTable) throws -> [String] {
      guard case .match(let match) = table.lookUp("app://product/a+b?q=a+b%2Bc") else { return [] }
      return match.url.queryItems.map(\.value) + [match.pathParameter("id") ?? ""]
    }
    #expect(try query(table()) == ["a+b+c", "a+b"])
    #expect(try query(table { $0.plusAsSpace = true }) == ["a b+c", "a+b"])
  }

  @Test func `ignores doubled and trailing slashes unless slashes are strict`() throws {
    let urls = ["app://product//123", "app:///product/123", "app://product/123/", "app://product/123//?a=b"]
    for url in urls {
      #expect(try table().pathParameters(url) == ["id": "123"], "\(url)")
      #expect(try table { $0.strictSlashes = true }.outcome(url) == "not found", "\(url)")
    }
    #expect(try table { $0.strictSlashes = true }.pathParameters("app://product/123") == ["id": "123"])
    #expect(
      try table { $0.strictSlashes = true }.pathParameters("https://example.com/product/123") == ["id": "123"])
  }

  @Test func `accepts URLs of at most 2048 bytes`() throws {
    let longest = "app://product/1?" + (1...2).map { "k\($0)=" + String(repeating: "x", count: 1000) + "&" }.joined()
    let filled = longest + String(repeating: "&", count: 2048 - longest.utf8.count)
    #expect(try table().outcome(filled) == "product/:id")
    #expect(try table().outcome(filled + "&") == "rejected url-too-long")
  }

  @Test func `accepts at most 64 segments`() throws {
    #expect(try table().outcome("app://" + String(repeating: "a/", count: 64)) == "**")
    #expect(try table().outcome("app://" + String(repeating: "a/", count: 65)) == "rejected too-many-segments")
  }

  @Test func `accepts at most 64 query items`() throws {
    #expect(try table().outcome("app://product/1?" + String(repeating: "a&", count: 64)) == "product/:id")
    #expect(
      try table().outcome("app://product/1?" + String(repeating: "a&", count: 65)) == "rejected too-many-query-items")
  }

  @Test(arguments: ["app://product/%", "app://product/1?%=1", "app://product/1?k=%", "app://product/1#%"])
  func `accepts parts of at most 1024 bytes`(form: String) throws {
    func url(_ count: Int) -> String {
      form.replacing("%", with: String(repeating: "x", count: count))
    }
    #expect(try table().outcome(url(1024)) == "product/:id")
    #expect(try table().outcome(url(1025)) == "rejected parameter-too-long")
  }

  @Test func `measures the length of a part after decoding`() throws {
    let escaped = String(repeating: "%41", count: 600)
    #expect(
      try table().pathParameters("app://product/" + escaped) == ["id": .string(String(repeating: "A", count: 600))])
  }

  @Test func `reports the position of a problem`() throws {
    guard case .rejected(let rejection) = try table().lookUp("app://product/a%zz") else {
      Issue.record("not rejected")
      return
    }
    #expect(rejection.offset == 15)
    #expect(rejection.message == "'%' must be followed by two hexadecimal digits (byte 15)")
  }
}

struct URLPolicyTests {
  @Test func `refuses invalid hosts, and schemes that are invalid or reserved by the web or the system`() {
    #expect(throws: URLPolicy.PolicyProblem.noScheme) { try URLPolicy(schemes: []) }
    #expect(throws: URLPolicy.PolicyProblem.reservedScheme(index: 1)) { try URLPolicy(schemes: ["app", "JavaScript"]) }
    #expect(throws: URLPolicy.PolicyProblem.reservedScheme(index: 0)) { try URLPolicy(schemes: ["https"]) }
    for text in ["", "1app", "my app", "app:", "äpp"] {
      #expect(throws: URLPolicy.PolicyProblem.malformedScheme(index: 0)) { try URLPolicy(schemes: [text]) }
    }
    for text in ["", "*", "*.", "a..b", "a.example:0", "a.example:x", "a_b.example", "a/b"] {
      #expect(throws: URLPolicy.PolicyProblem.malformedHost(index: 0)) {
        try URLPolicy(schemes: ["app"], hosts: [text])
      }
    }
  }

  @Test(arguments: [
    ("bücher.example", "https://xn--bcher-kva.example/x"), ("xn--bcher-kva.example", "https://bücher.example/x"),
    ("bücher.example", "https://BU\u{308}CHER.example/x"), ("bücher.example", "https://b%C3%BCcher.example/x"),
    ("例え.テスト", "https://xn--r8jz45g.xn--zckzah/x"), ("*.bücher.example", "https://a.xn--bcher-kva.example/x"),
    ("例え.テスト", "https://例え。テスト/x"),
  ])
  func `treats all spellings of an internationalized host as equal`(host: String, url: String) throws {
    #expect(try table(["x"], policy: URLPolicy(schemes: ["app"], hosts: [host])).outcome(url) == "x")
  }

  @Test(arguments: ["xn--", "xn--a-ÿ", "xn--99999999", "xn--bcher-kva9"])
  func `refuses invalid Punycode labels`(label: String) throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["bücher.example"])
    #expect(try table(["x"], policy: policy).outcome("https://\(label).example/x") == "rejected host-not-allowed")
  }

  @Test func `refuses a host of more than 253 bytes or a label of more than 63, in any notation`() throws {
    let policy = try URLPolicy(schemes: ["app"], hosts: ["*.example.com"])
    func name(_ count: Int) -> String {
      var labels: [String] = []
      var rest = count - ".example.com".utf8.count
      while rest > 0 {
        labels.append(String(repeating: "a", count: min(rest, 50)))
        rest -= 51
      }
      return labels.joined(separator: ".") + ".example.com"
    }
    func outcome(_ host: String) throws -> String { try table(["a"], policy: policy).outcome("https://\(host)/a") }
    #expect(name(253).utf8.count == 253)
    #expect(try outcome(name(253)) == "a")
    #expect(try outcome(name(254)) == "rejected host-not-allowed")
    #expect(try outcome("%61" + name(254).dropFirst()) == "rejected host-not-allowed")
    #expect(try outcome(String(repeating: "a", count: 63) + ".example.com") == "a")
    #expect(try outcome(String(repeating: "a", count: 64) + ".example.com") == "rejected host-not-allowed")
    #expect(HostPattern("*." + name(254)) == nil)
    #expect(HostPattern(String(repeating: "a", count: 64) + ".example.com") == nil)
  }
}
