/// The texts as which a secret may come out: as it is, line by line, in base64, in a URL and in JSON.
enum SecretForms {
  /// One of the texts; its name says which, so that a mark can be undone.
  struct Form {
    var name: String
    var bytes: [UInt8]
  }

  /// Every form of a secret, each text once.
  static func all(of secret: String) -> [Form] {
    var forms: [Form] = []
    add(Array(secret.utf8), "", to: &forms)
    addChunks(Array(secret.utf8), to: &forms)
    let lines = secret.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.count > 1 {
      for (index, line) in lines.enumerated() {
        let line = line.trimmingBlanks
        guard line.count >= Limits.secretCharacters else { continue }
        add(Array(line.utf8), "line\(index + 1).", to: &forms)
      }
    }
    var seen: Set<[UInt8]> = []
    return forms.filter { $0.bytes.count >= Limits.secretCharacters && seen.insert($0.bytes).inserted }
  }

  private static func add(_ bytes: [UInt8], _ prefix: String, to forms: inout [Form]) {
    func add(_ name: String, _ bytes: [UInt8]) { forms.append(Form(name: prefix + name, bytes: bytes)) }
    add("text", bytes)
    let json = JSONText.bytes(of: .string(String(decoding: bytes, as: UTF8.self))).dropFirst().dropLast()
    add("json", Array(json))
    add("json-slash", json.flatMap { $0 == UInt8(ascii: "/") ? Array("\\/".utf8) : [$0] })
    add("json-ascii", asciiJSON(Array(json)))
    add("url", percentEncoded(bytes, hex: Array("0123456789ABCDEF".utf8)))
    add("url-lower", percentEncoded(bytes, hex: Array("0123456789abcdef".utf8)))
    add("url-script", percentEncoded(bytes, hex: Array("0123456789ABCDEF".utf8), besides: "!*'()"))
    add("url-path", percentEncoded(bytes, hex: Array("0123456789ABCDEF".utf8), besides: "/"))
    add("url-whole", percentEncoded(bytes, hex: Array("0123456789ABCDEF".utf8), besides: ";/?:@&=+$,#!*'()"))
    add("form", percentEncoded(bytes, hex: Array("0123456789ABCDEF".utf8), space: UInt8(ascii: "+")))
    for (name, alphabet) in [("base64", base64), ("base64url", base64URL)] {
      add(name, encoded(bytes, alphabet, isPadded: true))
      for offset in 0..<3 { add("\(name).\(offset)", core(bytes, at: offset, alphabet)) }
    }
  }

  /// The lines into which programs cut long base64.
  private static func addChunks(_ bytes: [UInt8], to forms: inout [Form]) {
    let whole = core(bytes, at: 0, base64)
    for width in [76, 64] where whole.count > width {
      for (index, start) in stride(from: 0, to: whole.count, by: width).enumerated() {
        let chunk = Array(whole[start..<min(start + width, whole.count)])
        // A short end tells nothing, and would be found everywhere.
        if chunk.count >= 8 { forms.append(Form(name: "base64.\(width).\(index)", bytes: chunk)) }
      }
    }
  }

  // MARK: Base64

  private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let base64URL = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func encoded(_ bytes: [UInt8], _ alphabet: [UInt8], isPadded: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 4 / 3 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var word = 0
      for index in 0..<3 { word = word << 8 | (index < count ? Int(bytes[start + index]) : 0) }
      for index in 0...count { result.append(alphabet[word >> (18 - 6 * index) & 63]) }
      if isPadded { result += Array(repeating: UInt8(ascii: "="), count: 3 - count) }
    }
    return result
  }

  /// The characters that are the same whatever stands around the bytes in a longer text, of which so many, modulo three,
  /// come before.
  private static func core(_ bytes: [UInt8], at offset: Int, _ alphabet: [UInt8]) -> [UInt8] {
    let whole = encoded(Array(repeating: 0, count: offset) + bytes, alphabet, isPadded: false)
    let start = offset == 0 ? 0 : offset + 1
    let end = (offset + bytes.count) * 8 / 6
    return start < end ? Array(whole[start..<end]) : []
  }

  // MARK: URLs and JSON

  private static func percentEncoded(
    _ bytes: [UInt8], hex: [UInt8], besides: String = "", space: UInt8? = nil
  ) -> [UInt8] {
    let plain = Set(Array("-._~".utf8) + Array(besides.utf8))
    var result: [UInt8] = []
    for byte in bytes {
      if byte.isLetterOrDigit || plain.contains(byte) {
        result.append(byte)
      } else if byte == UInt8(ascii: " "), let space {
        result.append(space)
      } else {
        result += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return result
  }

  /// JSON in which everything outside of ASCII is an escape, as Python writes it.
  private static func asciiJSON(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x80 }) else { return json }
    var result: [UInt8] = []
    for unit in String(decoding: json, as: UTF8.self).utf16 {
      if unit < 0x80 {
        result.append(UInt8(unit))
      } else {
        let digits = String(unit, radix: 16)
        result += Array("\\u".utf8) + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.count) + Array(digits.utf8)
      }
    }
    return result
  }
}

extension UInt8 {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }
}

extension Substring {
  /// The text without the white space at its ends.
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text.drop(while: \.isWhitespace)
  }
}
