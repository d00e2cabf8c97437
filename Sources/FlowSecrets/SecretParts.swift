import FlowModel

/// The parts of a secret that steps may extract, such as the token in the query of a link in a JSON payload. They are
/// masked like the secret itself.
enum SecretParts {
  /// The minimum length of a part in bytes. Shorter texts are often common words.
  static let leastBytes = 8
  /// The maximum number of nested links, and the maximum number of parts of a secret.
  private static let depth = 4
  private static let limit = 1_000

  /// Returns the parts of a secret. The same secret always has the same parts.
  static func all(of secret: String) -> [String] {
    var parts: [String] = []
    add(secret, depth, to: &parts)
    var seen: Set<String> = [secret]
    return Array(parts.filter { $0.utf8.count >= leastBytes && seen.insert($0).inserted }.prefix(limit))
  }

  private static func add(_ text: String, _ depth: Int, to parts: inout [String]) {
    guard depth > 0, parts.count < limit else { return }
    switch text.utf8.first {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if let value = try? JSONText.parse(text) { add(value, depth, to: &parts) }
    default:
      guard let scheme = text.firstRange(of: "://") else { return }
      for piece in text[scheme.upperBound...].split(whereSeparator: { "/?#&;=".contains($0) }) {
        parts.append(String(piece))
        let decoded = percentDecoded(piece)
        guard decoded != piece else { continue }
        parts.append(decoded)
        add(decoded, depth - 1, to: &parts)
      }
    }
  }

  private static func add(_ value: Value, _ depth: Int, to parts: inout [String]) {
    switch value {
    case .string(let text):
      parts.append(text)
      add(text, depth - 1, to: &parts)
    case .array(let values): for value in values { add(value, depth, to: &parts) }
    case .object(let members): for (_, value) in members { add(value, depth, to: &parts) }
    default: break
    }
  }

  private static func percentDecoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
