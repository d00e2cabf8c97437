/// Percent-encodes text for use as a segment, key or value of a URL (RFC 3986, 2.1).
public enum PercentEncoding {
  /// Encodes all characters except letters, digits, `-`, `.`, `_`, `~` and non-ASCII characters as `%XX`.
  public static func encode(_ text: String) -> String {
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.append(byte)
      } else {
        encoded.append(ASCII.percent)
        encoded.append(contentsOf: [digit(byte >> 4), digit(byte & 15)])
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Decodes each `%XX`. Invalid escapes stay unchanged. Decoded bytes that are not valid UTF-8 are replaced by U+FFFD.
  static func decode(_ text: String) -> String {
    guard text.utf8.contains(ASCII.percent) else { return text }
    let bytes = Array(text.utf8)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if bytes[place] == ASCII.percent, place + 2 < bytes.count,
        let high = ASCII.hexadecimalValue(bytes[place + 1]), let low = ASCII.hexadecimalValue(bytes[place + 2])
      {
        decoded.append(high << 4 | low)
        place += 3
      } else {
        decoded.append(bytes[place])
        place += 1
      }
    }
    return String(validating: decoded, as: UTF8.self) ?? String(decoding: decoded, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte >= 0x80 || byte == ASCII.hyphen || byte == ASCII.dot
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "~")
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }
}
