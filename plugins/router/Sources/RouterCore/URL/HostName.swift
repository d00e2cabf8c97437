/// The host of a universal link. A plain ASCII host is compared with host patterns without being copied.
struct HostName {
  private let start: Int
  private let end: Int
  /// The name in lower case and Unicode, or nil if the bytes can be compared directly.
  private let normalized: String?

  /// Creates a host from the bytes from `start` to `end`. Returns nil if it is not a valid name.
  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    self.start = start
    self.end = end
    if Self.isPlain(bytes, from: start, to: end) {
      normalized = nil
    } else {
      guard let name = Self.normalized(bytes, from: start, to: end) else { return nil }
      normalized = name
    }
  }

  /// True if `pattern` matches this host. `bytes` are those of the URL.
  func isNamed(by pattern: HostPattern, in bytes: Span<UInt8>) -> Bool {
    if let normalized { return pattern.names(normalized) }
    let count = pattern.name.utf8.count
    if pattern.isWildcard {
      guard end - start > count + 1, bytes[end - count - 1] == ASCII.dot else { return false }
    } else {
      guard end - start == count else { return false }
    }
    var index = end - count
    for byte in pattern.name.utf8 {
      guard byte == ASCII.lowercased(bytes[index]) else { return false }
      index += 1
    }
    return true
  }

  /// True if the bytes can be compared with patterns directly, ignoring case. They must be letters, digits, dots and
  /// hyphens in ASCII, within the length limits, without empty labels, double hyphens as in `xn--`, or a final dot.
  private static func isPlain(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Bool {
    guard end - start <= HostPattern.byteLimit else { return false }
    var previous = ASCII.dot
    var label = 0
    for index in start..<end {
      let byte = bytes[index]
      label = byte == ASCII.dot ? 0 : label + 1
      if label > HostPattern.labelByteLimit { return false }
      switch byte {
      case ASCII.dot where previous == ASCII.dot, ASCII.hyphen where previous == ASCII.hyphen: return false
      case ASCII.dot, ASCII.hyphen: break
      default: if !ASCII.isLetter(byte), !ASCII.isDigit(byte) { return false }
      }
      previous = byte
    }
    return previous != ASCII.dot
  }

  /// Returns the name in lower case and Unicode, with escapes decoded. Returns nil if it is not a valid name.
  static func normalized(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> String? {
    var name: [UInt8] = []
    var position = start
    while position < end {
      guard bytes[position] == ASCII.percent else {
        name.append(bytes[position])
        position += 1
        continue
      }
      guard position + 2 < end, let high = ASCII.hexadecimalValue(bytes[position + 1]),
        let low = ASCII.hexadecimalValue(bytes[position + 2])
      else { return nil }
      name.append(high << 4 | low)
      position += 3
    }
    guard UTF8Validation.problem(in: name.span, from: 0, to: name.count) == nil else { return nil }
    return HostPattern.normalized(String(decoding: name, as: UTF8.self))
  }
}
