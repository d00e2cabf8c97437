import FlowModel

/// An encoding of text. Placeholders contain its name.
struct SecretEncoding: Sendable {
  let name: String
  let isBase64: Bool
  private let apply: @Sendable ([UInt8]) -> [UInt8]

  private init(_ name: String, isBase64: Bool = false, _ apply: @escaping @Sendable ([UInt8]) -> [UInt8]) {
    (self.name, self.isBase64, self.apply) = (name, isBase64, apply)
  }

  /// Returns the encoded form of some bytes.
  func callAsFunction(_ bytes: [UInt8]) -> [UInt8] { apply(bytes) }

  /// All encodings. The common ones come first, because they are tried in this order.
  static let all: [SecretEncoding] = json + percent + xml + shell + base64

  /// All encodings, by the name that placeholders contain.
  static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  // MARK: JSON

  /// The characters that a JSON writer escapes in addition to those that JSON requires.
  private struct JSONEscapes: Sendable {
    var hex = lower
    var isASCII = false
    /// The characters that are written as `\u` and four digits.
    var others = ""
    var escapesSlash = false
    var escapesAll = false
    var escapesControls = false

    func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
      var result: [UInt8] = []
      for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
        let isOther = escapesAll || others.unicodeScalars.contains(scalar)
        if !isOther, let short = Self.short[scalar] {
          result += [UInt8(ascii: "\\"), short]
        } else if scalar == "/", escapesSlash, !isOther {
          result += Array("\\/".utf8)
        } else if isOther || scalar.value < 0x20 || isASCII && scalar.value > 0x7F
          || escapesControls && (0x7F...0x9F).contains(scalar.value)
        {
          for unit in UTF16.encode(scalar) ?? .init() {
            result += Array("\\u".utf8)
            result += stride(from: 12, through: 0, by: -4).map { hex[Int(unit >> UInt16($0) & 15)] }
          }
        } else {
          result += UTF8.encode(scalar) ?? .init()
        }
      }
      return result
    }

    private static let short: [Unicode.Scalar: UInt8] = [
      "\"": UInt8(ascii: "\""), "\\": UInt8(ascii: "\\"), "\u{8}": UInt8(ascii: "b"), "\u{C}": UInt8(ascii: "f"),
      "\n": UInt8(ascii: "n"), "\r": UInt8(ascii: "r"), "\t": UInt8(ascii: "t"),
    ]
  }

  private static let json: [SecretEncoding] = {
    let all: [(String, JSONEscapes)] = [
      ("json", JSONEscapes(escapesControls: true)),
      ("json-ascii", JSONEscapes(isASCII: true)),
      ("json-upper", JSONEscapes(hex: upper, isASCII: true)),
      ("json-script", JSONEscapes()),
      ("json-script-upper", JSONEscapes(hex: upper)),
      ("json-slash", JSONEscapes(escapesSlash: true, escapesControls: true)),
      ("json-ascii-slash", JSONEscapes(isASCII: true, escapesSlash: true)),
      ("json-upper-slash", JSONEscapes(hex: upper, isASCII: true, escapesSlash: true)),
      ("json-html", JSONEscapes(others: "<>&\u{2028}\u{2029}")),
      ("json-html-ascii", JSONEscapes(isASCII: true, others: "<>&'=")),
      ("json-html-equals", JSONEscapes(others: "<>&'=\u{2028}\u{2029}")),
      ("json-net", JSONEscapes(hex: upper, isASCII: true, others: "\"<>&'+`\u{7F}")),
      ("json-all", JSONEscapes(escapesAll: true)),
      ("json-all-upper", JSONEscapes(hex: upper, escapesAll: true)),
    ]
    return all.map { SecretEncoding($0.0, $0.1.callAsFunction) }
  }()

  // MARK: Percent encoding

  private static let lower = Array("0123456789abcdef".utf8)
  private static let upper = Array("0123456789ABCDEF".utf8)

  private static let percent: [SecretEncoding] = {
    let kinds: [(name: String, plain: String, space: UInt8?)] = [
      ("url", "-._~", nil), ("url-script", "-._~!*'()", nil), ("url-path", "-._~/", nil),
      ("url-whole", "-._~;/?:@&=+$,#!*'()", nil), ("form", "-._~", UInt8(ascii: "+")),
      ("form-star", "-._*", UInt8(ascii: "+")), ("url-strict", "", nil),
    ]
    var all: [SecretEncoding] = []
    for (suffix, hex) in [("", upper), ("-lower", lower)] {
      for kind in kinds {
        let plain = Set(kind.plain.utf8)
        all.append(
          SecretEncoding(kind.name + suffix) { bytes in
            bytes.flatMap { byte -> [UInt8] in
              if byte.isLetterOrDigit || plain.contains(byte) { return [byte] }
              if byte == UInt8(ascii: " "), let space = kind.space { return [space] }
              return [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
            }
          })
      }
      all.append(
        SecretEncoding("url-all" + suffix) { bytes in
          bytes.flatMap { [UInt8(ascii: "%"), hex[Int($0 >> 4)], hex[Int($0 & 15)]] }
        })
    }
    return all
  }()

  // MARK: XML and shell quotes

  private static let xml: [SecretEncoding] = {
    let quotes: [(name: String, double: String, single: String)] = [
      ("xml", "&quot;", "&apos;"), ("xml-text", "\"", "'"), ("xml-value", "&quot;", "'"), ("html", "&quot;", "&#x27;"),
      ("html-39", "&quot;", "&#39;"), ("html-034", "&#34;", "&#39;"), ("html-039", "&quot;", "&#039;"),
    ]
    var all: [SecretEncoding] = []
    for (suffix, radix, isUpper) in [
      ("", 0, false), ("-ascii", 10, false), ("-hex", 16, false), ("-hex-upper", 16, true),
    ] {
      for quote in quotes {
        all.append(
          SecretEncoding(quote.name + suffix) { bytes in
            var result = ""
            for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
              switch scalar {
              case "&": result += "&amp;"
              case "<": result += "&lt;"
              case ">": result += "&gt;"
              case "\"": result += quote.double
              case "'": result += quote.single
              case _ where radix > 0 && scalar.value > 0x7F:
                result += "&#" + (radix == 16 ? "x" : "") + String(scalar.value, radix: radix, uppercase: isUpper) + ";"
              default: result.unicodeScalars.append(scalar)
              }
            }
            return Array(result.utf8)
          })
      }
    }
    return all
  }()

  private static let shell: [SecretEncoding] = [("shell", #"'\''"#), ("shell-double", #"'"'"'"#)].map { name, quote in
    SecretEncoding(name) { $0.flatMap { $0 == UInt8(ascii: "'") ? Array(quote.utf8) : [$0] } }
  }

  // MARK: Base64

  private static let standard = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafe = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static let base64: [SecretEncoding] = [("base64", standard), ("base64url", urlSafe)].flatMap {
    name, alphabet in
    var all = [
      SecretEncoding(name, isBase64: true) { encoded($0, at: 0, alphabet, .padded) }
    ]
    for offset in 0..<3 {
      for (suffix, end) in [("", Base64End.core), (".end", .rest), (".padded", .padded)] {
        all.append(
          SecretEncoding("\(name).\(offset)\(suffix)", isBase64: true) { encoded($0, at: offset, alphabet, end) })
      }
    }
    return all
  }

  /// The ways to write the end of base64.
  private enum Base64End {
    /// Omits the last character if it also contains bits of the text after the secret.
    case core
    /// Sets bits that would belong to the text after the secret to zero.
    case rest
    /// Sets bits that would belong to the text after the secret to zero, and appends `=`.
    case padded
  }

  /// Encodes bytes that come after `offset` other bytes, modulo 3. Characters that also contain bits of those other
  /// bytes are omitted.
  private static func encoded(_ bytes: [UInt8], at offset: Int, _ alphabet: [UInt8], _ end: Base64End) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count * 4 / 3 + 4)
    var (word, bits) = (0, offset * 8 % 6)
    // Skip the first character if it also contains bits of the preceding bytes.
    var isForeign = bits > 0
    for byte in bytes {
      word = (word << 8 | Int(byte)) & 0xFFFF
      bits += 8
      while bits >= 6 {
        bits -= 6
        if isForeign { isForeign = false } else { result.append(alphabet[word >> bits & 63]) }
      }
    }
    if bits > 0, end != .core {
      result.append(alphabet[word << (6 - bits) & 63])
      if end == .padded { result += Array(repeating: UInt8(ascii: "="), count: bits == 2 ? 2 : 1) }
    }
    return result
  }

  // MARK: Parts of secrets

  /// A text that is searched for: a secret, one of its lines, or a line of its base64. Examples of names are `text`,
  /// `line2.text` and `base64.76.0`.
  struct Part: Sendable {
    var name: String
    var bytes: [UInt8]
  }

  /// Returns the distinct parts of a secret that have at least ``Limits/secretCharacters`` bytes.
  static func parts(of secret: String) -> [Part] {
    let bytes = Array(secret.utf8)
    var parts = [Part(name: "text", bytes: bytes)]
    // Programs split long base64 into lines of these lengths.
    let whole = encoded(bytes, at: 0, standard, .core)
    for width in [76, 64] where whole.count > width {
      for (index, start) in stride(from: 0, to: whole.count, by: width).enumerated() {
        let chunk = Array(whole[start..<min(start + width, whole.count)])
        // A last line that is very short would match almost everywhere.
        if chunk.count >= 8 { parts.append(Part(name: "base64.\(width).\(index)", bytes: chunk)) }
      }
    }
    let lines = secret.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.count > 1 {
      for (index, line) in lines.enumerated() {
        let line = line.trimmingBlanks
        guard line.count >= Limits.secretCharacters else { continue }
        parts.append(Part(name: "line\(index + 1).text", bytes: Array(line.utf8)))
      }
    }
    var seen: Set<[UInt8]> = []
    return parts.filter { $0.bytes.count >= Limits.secretCharacters && seen.insert($0.bytes).inserted }
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
  /// The text without white space at both ends.
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text.drop(while: \.isWhitespace)
  }
}
