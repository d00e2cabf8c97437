import SyncCore

/// The parts of a request other than its body. A device sends a checksum of them and of the body in a header, so that
/// the server can detect a request that was damaged in transit, for example by a duplicated packet.
package struct RequestHead: Hashable, Sendable {
  /// The last part of the path: `commit`, `changes` or `pokes`.
  package var kind: String
  /// The zone.
  package var zone: String
  /// The query's names and values, in any order.
  package var query: [String: String]
  /// The values of the covered headers, by name. Missing headers are empty.
  package var headers: [String: String]

  /// The name of the header with the checksums.
  package static let checkHeader = "flowrun-check"
  /// The names of the covered headers.
  package static let checkedHeaders = ["authorization", Wire.versionHeader, Wire.storeHeader, Wire.requestHeader]

  /// Creates a head. `header` returns the first value of a header, or nil.
  package init(kind: String, zone: String, query: [String: String] = [:], header: (String) -> String?) {
    self.kind = kind
    self.zone = zone
    self.query = query
    headers = Dictionary(
      uniqueKeysWithValues: Self.checkedHeaders.map { name in
        // White space at the end of a header is not transmitted.
        (name, String(decoding: (header(name) ?? "").utf8.reversed().drop { $0 == 32 }.reversed(), as: UTF8.self))
      })
  }

  /// The names and values of a query. A parameter that appears twice has both values, unlike the one that was sent: a
  /// packet that arrives twice within the query repeats its parameters.
  package static func query(_ parameters: [(String, String)]) -> [String: String] {
    parameters.reduce(into: [:]) { query, parameter in
      let (name, value) = parameter
      query[name] = query[name].map { $0 + "\n" + value } ?? value
    }
  }

  /// The value of the header for a request with this body.
  package func check(body: [UInt8]) -> String {
    let sum = Self.sum(body)
    return "\(Self.sum(Array((text + sum).utf8)))-\(sum)"
  }

  /// True if the head matches the checksum.
  package func isWhole(_ check: String?) -> Bool {
    guard let parts = check?.split(separator: "-"), parts.count == 2 else { return false }
    return parts[0] == Self.sum(Array((text + parts[1]).utf8))
  }

  /// True if the body matches the checksum. The head must have been checked before.
  package static func isWhole(body: [UInt8], _ check: String?) -> Bool {
    check?.split(separator: "-").last.map { $0 == sum(body) } ?? false
  }

  private var text: String {
    ([kind, zone] + query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      + Self.checkedHeaders.map { headers[$0] ?? "" }).reduce(into: "") { $0 += $1 + "\n" }
  }

  private static func sum(_ bytes: [UInt8]) -> String { String(Packer.checksum(bytes[...]), radix: 16) }
}
