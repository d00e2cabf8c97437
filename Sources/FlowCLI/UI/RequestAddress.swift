/// Checks the address of an HTTP request, which consists of its `Host` field and its target.
package enum RequestAddress {
  /// Returns the problem with the address of a request, or nil if it is valid. If this server and a proxy interpreted
  /// an address differently, one page could be mistaken for another.
  ///
  /// - Parameters:
  ///   - target: The target in the request: a path or an absolute address.
  ///   - hosts: The values of all `Host` fields.
  ///   - isOwn: Returns true if a host is this server.
  package static func problem(target: String, hosts: [String], isOwn: (_ host: String) -> Bool) -> String? {
    guard hosts.count <= 1 else { return "Expected one Host field, got \(hosts.count)." }
    guard !target.hasPrefix("/"), target != "*" else { return nil }
    for scheme in ["http://", "https://"] where target.lowercased().hasPrefix(scheme) {
      let host = target.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
      if isOwn(String(decoding: host, as: UTF8.self)) { return nil }
    }
    return "Expected a path or an address of this server as the target."
  }
}
