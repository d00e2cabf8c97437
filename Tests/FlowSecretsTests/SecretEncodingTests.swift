import FlowModel
import FlowSecrets
import Foundation
import TestSupport
import Testing

/// All combinations of up to three encodings, implemented independently of the product.
struct `Secrets in encoded texts` {
  /// An encoding of a secret, together with the text before and after it, inside a longer text.
  private struct Encoding: Sendable {
    var name: String
    /// Returns the encoding of a whole text.
    var whole: @Sendable (String) -> String
    /// Returns the parts of an encoded text that must never be visible. For base64, these are the characters that
    /// depend only on the position, modulo three, at which the text begins.
    var traces: @Sendable (String) -> [String]

    init(_ name: String, _ whole: @escaping @Sendable (String) -> String) {
      (self.name, self.whole) = (name, whole)
      traces = { [whole($0)] }
    }

    init(base64 name: String, _ alphabet: @escaping @Sendable (String) -> String, skip: Int) {
      self.name = name
      // The length of the preceding text determines the position.
      whole = { alphabet(Data((String("pre".prefix(skip)) + $0).utf8).base64EncodedString()) }
      traces = { text in
        (0..<3).map { offset in
          let padded = Data((String("\0\0\0".prefix(offset)) + text).utf8)
          let encoded = alphabet(padded.base64EncodedString()).filter { $0 != "=" }
          return String(encoded.prefix(padded.count * 8 / 6).dropFirst(offset == 0 ? 0 : offset + 1))
        }
      }
    }
  }

  private static func json(_ text: String, isASCII: Bool, digits: String) -> String {
    text.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"", "\\": return "\\" + String(scalar)
      case "\n": return "\\n"
      case "\t": return "\\t"
      case _ where scalar.value < 0x20 || isASCII && !scalar.isASCII:
        return String(scalar).utf16.map { unit in
          "\\u" + String(String(format: digits, Int(unit)).suffix(4))
        }.joined()
      default: return String(scalar)
      }
    }.joined()
  }

  private static func percent(_ text: String, _ digits: String) -> String {
    text.utf8.map { byte in
      let scalar = Unicode.Scalar(byte)
      return scalar.isASCII && (CharacterSet.alphanumerics.contains(scalar) || "-._~".unicodeScalars.contains(scalar))
        ? String(scalar) : "%" + String(format: digits, Int(byte))
    }.joined()
  }

  private static let encodings: [Encoding] = {
    let urlSafe: @Sendable (String) -> String = {
      $0.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }
    return [
      Encoding("json") { json($0, isASCII: false, digits: "%04x") },
      Encoding("json, lower") { json($0, isASCII: true, digits: "%04x") },
      Encoding("json, upper") { json($0, isASCII: true, digits: "%04X") },
      Encoding("percent, upper") { percent($0, "%02X") },
      Encoding("percent, lower") { percent($0, "%02x") },
      Encoding("percent, all") { $0.utf8.map { String(format: "%%%02x", Int($0)) }.joined() },
      Encoding("xml") {
        $0.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
          .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
          .replacingOccurrences(of: "'", with: "&apos;")
      },
      Encoding("shell") { $0.replacingOccurrences(of: "'", with: "'\\''") },
    ]
      + (0..<3).flatMap { skip in
        [
          Encoding(base64: "base64, after \(skip)", { $0 }, skip: skip),
          Encoding(base64: "base64 for URLs, after \(skip)", urlSafe, skip: skip),
        ]
      }
  }()

  /// All combinations of one or two encodings. With `FLOWRUN_LONG_TESTS`, also all combinations of three, and otherwise
  /// every 97th of these.
  private static let chains: [[Encoding]] = {
    let single = encodings.map { [$0] }
    let double = single.flatMap { chain in encodings.map { chain + [$0] } }
    let triple = double.flatMap { chain in encodings.map { chain + [$0] } }
    let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil
    return single + double + (isLong ? triple : triple.enumerated().filter { $0.offset % 97 == 0 }.map(\.element))
  }()

  /// A quotation mark, a backslash, ASCII and other letters, and characters that each encoding escapes.
  private static let secrets = ["c0rrect\"horse", "t\\ö'k/e+n&<€>😀%~", "рассвет"]

  /// The single encodings and, in `make test`, a quarter of the compositions.
  private static let testedChains = chains.enumerated().filter {
    $0.offset < encodings.count || TestExtent.tries($0.offset, ofParts: 4)
  }.map(\.element)

  @Test(arguments: secrets)
  func `secrets are found and restored in any combination of up to three encodings`(secret: String) throws {
    let mask = SecretMask([("token", secret)])
    for chain in Self.testedChains {
      let text = chain.reduce("a" + secret + "b") { $1.whole($0) }
      let traces = chain.reduce([secret]) { texts, encoding in texts.flatMap(encoding.traces) }.filter {
        $0.utf8.count >= 4
      }
      let names = chain.map(\.name).joined(separator: ", then ")
      #expect(traces.contains { text.contains($0) }, "the test itself: \(names)")
      let shown = mask.masked(text)
      #expect(shown.contains("***") && !traces.contains { shown.contains($0) }, "\(names): \(text) is \(shown)")
      let withPlaceholders = mask.withPlaceholders(["text": .string(text)])
      let kept = withPlaceholders["text"]?.stringValue ?? ""
      #expect(kept.contains("{secret:token/") && !kept.contains("unknown"), "\(names): \(text) is \(kept)")
      #expect(mask.spreadSecret(in: ["text": .string(text)]) == nil, "\(names)")
      #expect(try SecretMask.filled(withPlaceholders, by: mask) == ["text": .string(text)], "\(names)")
    }
  }

  @Test(arguments: secrets)
  func `a secret is hidden in both halves of a text that is cut anywhere`(secret: String) {
    let mask = SecretMask([("token", secret)])
    // Cut texts with a single encoding at every character, and texts with several encodings at one.
    for (index, chain) in Self.testedChains.enumerated() {
      let text = chain.reduce("a" + secret + "b") { $1.whole($0) }
      let traces = chain.reduce([secret]) { texts, encoding in texts.flatMap(encoding.traces) }
      guard let trace = traces.first(where: { $0.count > 14 && text.contains($0) }), let range = text.range(of: trace)
      else { continue }
      let names = chain.map(\.name).joined(separator: ", then ")
      // The first character can consist of several bytes. An incomplete one may be the beginning of any text.
      let cuts = Array(text.indices[range].dropFirst(chain.count == 1 ? 7 : 80).dropLast(7))
      for cut in index < Self.encodings.count ? cuts : Array(cuts.dropFirst(index % max(cuts.count, 1)).prefix(1)) {
        let beginning = mask.masked(String(text[..<cut]), isCut: true)
        #expect(
          beginning.hasSuffix("***") && text[..<range.lowerBound].hasPrefix(beginning.dropLast(3)),
          "\(names): \(text[..<cut]) is \(beginning)")
        let open = mask.withholding(String(text[..<cut]))
        #expect(text[..<range.lowerBound].hasPrefix(open), "\(names): \(text[..<cut]) is \(open)")
        guard text[cut..<range.upperBound].count > 80 || chain.count == 1 && !cuts.isEmpty && secret == Self.secrets[0]
        else { continue }
        let kept = String(repeating: "-", count: 1 << 19)
        let whole = mask.masked(kept + text[..<cut] + "\n[flowrun: 9 bytes left out]\n" + text[cut...] + kept)
        let end = whole.dropFirst(1 << 19).dropLast(1 << 19).split(separator: "left out]\n").last ?? ""
        #expect(
          end.hasPrefix("***") && end.count - 3 <= text[range.upperBound...].count,
          "\(names): \(text[cut...]) is \(end)")
      }
    }
  }

  @Test func `secrets are restored from the placeholders of earlier versions`() throws {
    let mask = SecretMask([("token", "a/b\"c\nline ö two"), ("key", String(repeating: "0123456789", count: 9))])
    for (name, text) in [
      ("text", "a/b\"c\nline ö two"), ("json-slash", #"a\/b\"c\nline ö two"#),
      ("line2.json-ascii", #"line \u00f6 two"#),
      ("url-path", "a/b%22c%0Aline%20%C3%B6%20two"), ("form", "a%2Fb%22c%0Aline+%C3%B6+two"),
      ("base64", "YS9iImMKbGluZSDDtiB0d28="), ("base64.1", "EvYiJjCmxpbmUgw7YgdHdv"),
    ] {
      #expect(try SecretMask.filled(["a": .string("x{secret:token/\(name)/9}")], by: mask)["a"] == .string("x" + text))
    }
    #expect(
      try SecretMask.filled(["a": "{secret:key/base64.76.1/44}"], by: mask)["a"]
        == "Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5")
  }

  @Test func `a secret in a form that cannot be restored is hidden in output but refused in stored values`() {
    let mask = SecretMask([("token", "c0rrect\"horse\"staple")])
    let text = "c0rrect\\\"horse%22staple"
    #expect(mask.masked(text) == "***")
    #expect(mask.spreadSecret(in: ["text": .string(text)]) == "token")
    #expect(throws: SecretMask.MissingSecret.self) {
      try SecretMask.filled(mask.withPlaceholders(["text": .string(text)]), by: mask)
    }
  }

  @Test func `ordinary text is not mistaken for secrets`() {
    let mask = SecretMask([("token", "c0rrect\"horse"), ("pin", "7319")])
    var words: UInt64 = 1
    for line in 0..<200 {
      var text = "line \(line): "
      for _ in 0..<40 {
        words = words &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += String(words >> 20, radix: 36) + [" ", "/", "%20", "\\n", "&amp;", "\\u00e9"][Int(words >> 60) % 6]
      }
      let text7 = text.replacingOccurrences(of: "7319", with: "7318")
      #expect(mask.masked(text7) == text7)
    }
  }
}
