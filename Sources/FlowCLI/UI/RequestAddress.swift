/// The address that a request asks for: its `Host` and its target.
package enum RequestAddress {
  /// Returns what is wrong with the address of a request; nil: nothing. A proxy and a server that read such a request in two ways
  /// could be made to take one page for another.
  ///
  /// - Parameters:
  ///   - target: the target as it was sent: a path, or an absolute address.
  ///   - hosts: the values of all `Host` fields.
  ///   - isOwn: whether a host names this server.
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
