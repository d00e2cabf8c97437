import FlowCommandKit
import FlowModel
import FlowStore
import FlowSystem

/// A server that receives OpenTelemetry traces: a collector that accepts OTLP over HTTP.
struct TraceServer {
  let isSecure: Bool
  /// The name or address of the host. An IPv6 address has no brackets.
  let host: String
  let port: Int
  /// The path of requests, which ends with `/v1/traces`.
  let path: String
  /// Additional headers of requests, such as an API key. They are never shown.
  let headers: [(name: String, value: String)]

  /// The environment variable from which OpenTelemetry's exporters read headers.
  static let headersVariable = "OTEL_EXPORTER_OTLP_HEADERS"

  /// Parses an address of the form `http://HOST[:PORT][/PATH]`, or `https://…` if flowrun was built with TLS, and
  /// headers of the form `NAME=VALUE,…`. Throws a ``UsageProblem`` if they are invalid.
  init(_ text: String, headers: String? = Environment.value(headersVariable)) throws(UsageProblem) {
    let example = "expected http://HOST[:PORT], such as http://127.0.0.1:4318"
    isSecure = text.hasPrefix("https://")
    #if !Network
      guard !isSecure else {
        throw UsageProblem(
          "--otlp '\(StoreAddress.masked(text))': this flowrun was built without TLS; build it with --traits Network, or "
            + "send to a collector nearby, as http://127.0.0.1:4318")
      }
    #endif
    let rest = text.dropFirst(isSecure ? 8 : 7)
    let authority = rest.prefix { $0 != "/" }
    let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : nil
    let colon = authority[(end ?? authority.startIndex)...].lastIndex(of: ":")
    let name = authority[..<(colon ?? authority.endIndex)]
    let host = end == nil ? name : name.dropFirst().dropLast()
    let port = colon.map { Int(authority[authority.index(after: $0)...]) ?? 0 } ?? (isSecure ? 443 : 80)
    guard isSecure || text.hasPrefix("http://"), !host.isEmpty, !host.contains(where: { "@[]".contains($0) }),
      (1...65_535).contains(port),
      text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    else { throw UsageProblem("--otlp '\(StoreAddress.masked(text))': \(example)") }
    self.host = String(host)
    self.port = port
    var path = rest[authority.endIndex...]
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path.hasSuffix(Self.tracesPath) ? String(path) : path + Self.tracesPath
    self.headers = try Self.headers(headers ?? "")
  }

  private static let tracesPath = "/v1/traces"

  /// The headers that flowrun itself sets.
  private static let ownHeaders: Set<String> = [
    "host", "content-length", "content-type", "content-encoding", "transfer-encoding", "connection", "expect", "te",
    "trailer", "upgrade", "user-agent",
  ]

  var url: String {
    let authority = host.contains(":" as Character) ? "[\(host)]" : host
    return "\(isSecure ? "https" : "http")://\(authority):\(port)\(path)"
  }

  /// Parses headers of the form `NAME=VALUE,…` with percent-encoded values, as OpenTelemetry's exporters do.
  private static func headers(_ text: String) throws(UsageProblem) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for entry in text.parts(separatedBy: ",") where !entry.isEmpty {
      let parts = entry.parted(at: "=")
      let name = trimmed(parts.before[...])
      guard let stated = parts.after, !name.isEmpty,
        name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: ":") }),
        let value = decoded(trimmed(stated[...])), value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
      else {
        // The value is not shown, because it may be an API key.
        throw UsageProblem("\(headersVariable): '\(name)' is not a header; expected NAME=VALUE,NAME=VALUE")
      }
      guard !ownHeaders.contains(name.lowercased()) else {
        throw UsageProblem("\(headersVariable): flowrun sets '\(name)' itself; leave it out")
      }
      headers.append((name, value))
    }
    return headers
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Decodes percent escapes. Returns nil if one is invalid or the result is not UTF-8.
  private static func decoded(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(String(Substring(digits)), radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
