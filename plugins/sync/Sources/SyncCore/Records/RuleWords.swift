/// Encodes values in the text of a rule. Values may contain any characters; separators are percent-encoded.
enum RuleWords {
  /// Encodes several values and joins them with spaces.
  static func text(_ values: [String]) -> String {
    values.map { value in
      value.utf8.map { byte -> String in
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "%") || byte >= 0x7F
          ? "%" + String(Int(byte) + 0x100, radix: 16).dropFirst() : String(UnicodeScalar(byte))
      }.joined()
    }.joined(separator: " ")
  }

  /// Decodes a value that `text(_:)` has encoded.
  static func read(_ word: some StringProtocol) -> String {
    var (bytes, rest) = ([UInt8](), Array(word.utf8)[...])
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        bytes.append(code)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
