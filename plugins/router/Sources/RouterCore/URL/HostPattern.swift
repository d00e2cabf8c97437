/// A host of universal links: `example.com` or `*.example.com`, optionally with `:port`.
///
/// `*.example.com` matches all names below `example.com`, at any depth, but not `example.com` itself. Names are
/// compared in Unicode, ignoring case, so `xn--bcher-kva.example` and `bücher.example` are the same host.
public struct HostPattern: Sendable, Hashable, CustomStringConvertible {
  /// The name in lowercase Unicode, without `*.` or the port.
  public let name: String
  /// True if the pattern matches the names below `name` rather than `name` itself.
  public let isWildcard: Bool
  /// The port that is allowed in addition to 443, or nil.
  public let port: Int?

  /// Parses a host as written in a declaration. Returns nil if it is invalid.
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

  /// The host in the form of a declaration, with its normalized name.
  public var description: String { (isWildcard ? "*." : "") + name + (port.map { ":\($0)" } ?? "") }

  /// True if this pattern is tried before `other`: names before wildcards, and longer wildcards before shorter ones.
  func precedes(_ other: HostPattern) -> Bool {
    if isWildcard != other.isWildcard { return !isWildcard }
    return isWildcard && name.utf8.count > other.name.utf8.count
  }

  /// True if a URL may have this port. A missing port means 443.
  func allows(port given: Int?) -> Bool { given == nil || given == 443 || given == port }

  /// True if the pattern matches a normalized host name.
  func names(_ host: String) -> Bool { isWildcard ? host.hasSuffix("." + name) : host == name }

  /// True if this pattern matches every host that `other` matches.
  func covers(_ other: HostPattern) -> Bool {
    if isWildcard == other.isWildcard, name == other.name { return true }
    return isWildcard && names(other.name)
  }

  /// The maximum lengths of a name and of a label in bytes (RFC 1035, 2.3.4).
  static let byteLimit = 253
  static let labelByteLimit = 63

  /// Returns the name in lower case and Unicode without a final dot, or nil if it is not a valid name.
  ///
  /// The result need not be in a normalization form, because Swift compares strings by canonical equivalence.
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
      // The limit applies to Punycode. In UTF-8, a non-ASCII label may be longer.
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
