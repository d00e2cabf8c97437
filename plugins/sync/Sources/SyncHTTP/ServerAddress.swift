import SyncEngine

/// Where a sync server is: `http://HOST[:PORT][/PATH]`.
struct ServerAddress: Hashable, Sendable {
  let host: String
  let port: Int
  let path: String

  /// The `Host` header.
  var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Reads an address. Throws `BackendError.invalid` with what is wrong: a token must not travel in clear text beyond
  /// this machine, so another host is refused unless it is reached through a tunnel on loopback.
  init(_ text: String) throws(BackendError) {
    if text.hasPrefix("https://") {
      throw .invalid("'\(text)': this client speaks http only; reach the server through a TLS tunnel on 127.0.0.1")
    }
    guard text.hasPrefix("http://") else {
      throw .invalid("'\(text)' is no address; it looks like http://127.0.0.1:8480")
    }
    let rest = text.dropFirst(7)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash]
    var path = String(rest[slash...])
    while path.hasSuffix("/") { path.removeLast() }
    self.path = path
    let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : nil
    let colon = authority[(end ?? authority.startIndex)...].lastIndex(of: ":")
    let name = authority[..<(colon ?? authority.endIndex)]
    host = name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : String(name)
    port = colon.map { Int(authority[authority.index(after: $0)...]) ?? 0 } ?? 80
    guard !host.isEmpty, (1...65_535).contains(port), path.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
      throw .invalid("'\(text)' is no address; it looks like http://127.0.0.1:8480")
    }
    guard host == "localhost" || host == "::1" || host.hasPrefix("127.") else {
      throw .invalid(
        "'\(text)' is another machine, and the token would travel in clear text; use a TLS tunnel on 127.0.0.1")
    }
  }
}
