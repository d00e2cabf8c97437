#if Network
  import SyncEngine

  /// The address of a sync server: `https://HOST[:PORT][/PATH]`, or `http://` for this machine.
  struct ServerAddress: Hashable, Sendable {
    /// The address without a trailing slash.
    let url: String
    /// The host name or IP address. An IPv6 address has no brackets.
    let host: String
    /// The port, by default 443 for HTTPS and 80 for HTTP.
    let port: Int

    private static let example = "it looks like https://sync.example.com or http://127.0.0.1:8480"

    /// Parses an address. Throws `BackendError.invalid` if it is malformed, or if it starts with `http://` and names
    /// another machine, because tokens are sent to other machines only over TLS.
    init(_ text: String) throws(BackendError) {
      let isSecure = text.hasPrefix("https://")
      guard isSecure || text.hasPrefix("http://") else {
        throw .invalid("'\(text)' is not an address; \(Self.example)")
      }
      let rest = text.dropFirst(isSecure ? 8 : 7)
      let authority = rest[..<(rest.firstIndex(of: "/") ?? rest.endIndex)]
      let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]") : nil
      let colon = authority[(end ?? authority.startIndex)...].lastIndex(of: ":")
      let name = authority[..<(colon ?? authority.endIndex)]
      let host = name.hasPrefix("[") ? name.dropFirst().dropLast() : name
      let port = colon.map { Int(authority[authority.index(after: $0)...]) ?? 0 } ?? (isSecure ? 443 : 80)
      guard !host.isEmpty, !host.contains("@"), (1...65_535).contains(port),
        text.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
      else { throw .invalid("'\(text)' is not an address; \(Self.example)") }
      let isLoopback = host.hasPrefix("127.") && host.allSatisfy { ("0"..."9").contains($0) || $0 == "." }
      guard isSecure || host == "localhost" || host == "::1" || isLoopback else {
        throw .invalid(
          "'\(text)' is another machine, and the token would travel in clear text; use https, or a tunnel on 127.0.0.1")
      }
      var url = text
      while url.hasSuffix("/") { url.removeLast() }
      self.url = url
      self.host = String(host)
      self.port = port
    }
  }
#endif
