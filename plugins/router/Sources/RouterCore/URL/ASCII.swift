/// Classifies and converts bytes of URLs and patterns.
enum ASCII {
  @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

  @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  @inline(__always) static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

  @inline(__always) static func isSchemeByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == plus || byte == hyphen || byte == dot
  }

  /// Returns a letter in lower case. Other bytes are returned unchanged.
  @inline(__always) static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Returns the value of a hexadecimal digit, or nil for another byte.
  @inline(__always) static func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    if isDigit(byte) { return byte &- 0x30 }
    let letter = (byte | 0x20) &- 0x61
    return letter < 6 ? letter &+ 10 : nil
  }

  static let ampersand = UInt8(ascii: "&")
  static let at = UInt8(ascii: "@")
  static let backslash = UInt8(ascii: "\\")
  static let bracket = UInt8(ascii: "[")
  static let colon = UInt8(ascii: ":")
  static let dot = UInt8(ascii: ".")
  static let equals = UInt8(ascii: "=")
  static let hash = UInt8(ascii: "#")
  static let hyphen = UInt8(ascii: "-")
  static let percent = UInt8(ascii: "%")
  static let plus = UInt8(ascii: "+")
  static let question = UInt8(ascii: "?")
  static let slash = UInt8(ascii: "/")
}
