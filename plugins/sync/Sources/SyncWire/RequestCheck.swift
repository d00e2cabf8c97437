import SyncCore

/// A request without its body. A device sends checksums of the head and the body in a header. With them, the server
/// detects requests that were damaged in transit, for example by a duplicated packet.
package struct RequestHead: Hashable, Sendable {
  /// The last part of the path: `commit`, `changes` or `pokes`.
  package var kind: String
  package var zone: String
  /// The names and values of the query parameters.
  package var query: [String: String]
  /// The values of the headers in `checkedHeaders`, by name. The value of a missing header is empty.
  package var headers: [String: String]

  /// The name of the header that contains the checksums.
  package static let checkHeader = "flowrun-check"
  /// The names of the headers that the checksum covers.
  package static let checkedHeaders = ["authorization", Wire.versionHeader, Wire.storeHeader, Wire.requestHeader]

  /// Creates a head. `header` returns the first value of the header with a given name, or nil.
  package init(kind: String, zone: String, query: [String: String] = [:], header: (String) -> String?) {
    self.kind = kind
    self.zone = zone
    self.query = query
    headers = Dictionary(
      uniqueKeysWithValues: Self.checkedHeaders.map { name in
        // Spaces at the end of a header are not transmitted.
        (name, String(decoding: (header(name) ?? "").utf8.reversed().drop { $0 == 32 }.reversed(), as: UTF8.self))
      })
  }

  /// Returns the names and values of query parameters. If a packet is duplicated within the query, a parameter may
  /// appear twice. Its values are then combined, so that they differ from the value that was sent.
  package static func query(_ parameters: [(String, String)]) -> [String: String] {
    parameters.reduce(into: [:]) { query, parameter in
      let (name, value) = parameter
      query[name] = query[name].map { $0 + "\n" + value } ?? value
    }
  }

  /// Returns the value of the header `flowrun-check` for a request with this body.
  package func check(body: [UInt8]) -> String {
    let sum = Self.sum(body)
    return "\(Self.sum(Array((text + sum).utf8)))-\(sum)"
  }

  /// True if the head matches its checksum in `check`.
  package func isWhole(_ check: String?) -> Bool {
    guard let parts = check?.split(separator: "-"), parts.count == 2 else { return false }
    return parts[0] == Self.sum(Array((text + parts[1]).utf8))
  }

  /// True if the body matches its checksum in `check`. The head must have been checked before.
  package static func isWhole(body: [UInt8], _ check: String?) -> Bool {
    check?.split(separator: "-").last.map { $0 == sum(body) } ?? false
  }

  private var text: String {
    ([kind, zone] + query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      + Self.checkedHeaders.map { headers[$0] ?? "" }).reduce(into: "") { $0 += $1 + "\n" }
  }

  private static func sum(_ bytes: [UInt8]) -> String { String(Packer.checksum(bytes[...]), radix: 16) }
}
