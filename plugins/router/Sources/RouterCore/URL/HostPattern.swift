/// A host of universal links: `example.com`, `*.example.com`, either with `:port`.
///
/// `*.example.com` matches every name below `example.com`, at any depth, but not `example.com` itself. Names are
/// compared without case and in Unicode, so that `xn--bcher-kva.example` and `bücher.example` are one host.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  /// The name in lower case, in Unicode, without `*.` and port.
  public let name: String
  /// True if it matches the names below rather than the name itself.
  public let isWildcard: Bool
  /// The port that it allows in addition to 443, or nil.
  public let port: Int?

  /// Parses a host as declared; returns nil if it is not one.
  public init?(_ text: String) {
    var rest = Substring(text)
    isWildcard = rest.hasPrefix("*.")
    if isWildcard { rest = rest.dropFirst(2) }
    if let colon = rest.lastIndex(of: ":") {
      guard let port = Int(rest[rest.index(after: colon)...]), (1...65535).contains(port) else { return nil }
      self.port = port
      rest = rest[..<colon]
    } else {
      port = nil
    }
    guard let name = HostPattern.normalized(String(rest)) else { return nil }
    self.name = name
  }

  /// The host as written in a declaration.
  public var description: String { (isWildcard ? "*." : "") + name + (port.map { ":\($0)" } ?? "") }

  /// True if it is tried before `other`: names before wildcards, longer wildcards before shorter ones.
  func precedes(_ other: HostPattern) -> Bool {
    if isWildcard != other.isWildcard { return !isWildcard }
    return isWildcard && name.utf8.count > other.name.utf8.count
  }

  /// True if a port is allowed; no port means 443.
  func allows(port given: Int?) -> Bool { given == nil || given == 443 || given == port }

  /// True if a normalized name is this host, or one below it for a wildcard.
  func names(_ host: String) -> Bool { isWildcard ? host.hasSuffix("." + name) : host == name }

  /// True if this pattern matches every host that `other` matches.
  func covers(_ other: HostPattern) -> Bool {
    if isWildcard == other.isWildcard, name == other.name { return true }
    return isWildcard && names(other.name)
  }

  /// The maximum length of a name, and of one label, in bytes (RFC 1035, 2.3.4).
  static let byteLimit = 253
  static let labelByteLimit = 63

  /// The name in lower case and Unicode without a final dot, or nil if it is not a valid name.
  ///
  /// Swift compares the result by canonical equivalence, so it needs no normalization form.
  static func normalized(_ text: String) -> String? {
    var name = text.lowercased()
    if name.utf8.contains(where: { $0 >= 0x80 }) {
      name = String(name.map { "。．｡".contains($0) ? "." : $0 })
    }
    if name.hasSuffix(".") { name.removeLast() }
    guard !name.isEmpty, name.utf8.count <= byteLimit else { return nil }
    var labels: [String] = []
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard !label.isEmpty, label.allSatisfy(isAllowed) else { return nil }
      // A non-ASCII label is longer in UTF-8 than in the limited Punycode form.
      guard label.utf8.count <= (label.utf8.allSatisfy { $0 < 0x80 } ? labelByteLimit : labelByteLimit * 4) else {
        return nil
      }
      if label.hasPrefix("xn--") {
        guard let decoded = Punycode.decode(label.dropFirst(4)) else { return nil }
        labels.append(decoded)
      } else {
        labels.append(String(label))
      }
    }
    return labels.joined(separator: ".")
  }

  private static func isAllowed(_ character: Character) -> Bool {
    guard let ascii = character.asciiValue else { return character.isLetter || character.isNumber }
    return isLabelByte(ascii)
  }

  private static func isLabelByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }
}
