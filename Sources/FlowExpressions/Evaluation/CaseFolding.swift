/// Compares strings without regard to case: each character is converted to upper case, and then UTF-16 units are
/// compared.
///
/// The conversion is Unicode's simple mapping of single characters, which does not depend on a language. `ı` and `ſ`
/// are not converted, so that no other letter equals an ASCII letter. Strings that differ only in composition, such as
/// `é` as one or two characters, are different.
enum CaseFolding {
  /// True if the strings are equal except for case.
  static func areEqual(_ left: String, _ right: String) -> Bool {
    var (left, right) = (left, right)
    let answer: Bool? = left.withUTF8 { a in
      right.withUTF8 { b in
        // An ASCII letter equals only another ASCII letter, so the first difference between ASCII characters decides.
        let common = min(a.count, b.count)
        for index in 0..<common {
          let (x, y) = (a[index], b[index])
          if x == y && x < 0x80 { continue }
          if x >= 0x80 && y >= 0x80 { return nil }
          if x >= 0x80 || y >= 0x80 || upper(x) != upper(y) { return false }
        }
        return a.count == b.count
      }
    }
    return answer ?? folded(left).elementsEqual(folded(right))
  }

  /// True if `left` comes before `right`. Case is ignored.
  static func isLess(_ left: String, _ right: String) -> Bool {
    folded(left).lexicographicallyPrecedes(folded(right))
  }

  static func hasPrefix(_ text: String, _ part: String) -> Bool { folded(text).starts(with: folded(part)) }

  static func hasSuffix(_ text: String, _ part: String) -> Bool {
    folded(text).reversed().starts(with: folded(part).reversed())
  }

  /// True if `text` contains `part`. Case is ignored. Takes linear time.
  static func contains(_ text: String, _ part: String) -> Bool {
    let (text, part) = (folded(text), folded(part))
    guard part.count <= text.count else { return false }
    guard !part.isEmpty else { return true }
    return SequenceSearch(part).firstIndex(in: text) != nil
  }

  /// Returns the UTF-16 units of the string in upper case.
  static func folded(_ text: String) -> [UInt16] {
    var units: [UInt16] = []
    units.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      if scalar.value < 0x80 {
        units.append(UInt16(upper(UInt8(scalar.value))))
      } else {
        units.append(contentsOf: UTF16.encode(upper(scalar))!)
      }
    }
    return units
  }

  private static func upper(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 0x20 : byte
  }

  private static func upper(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let properties = scalar.properties
    // Use the full mapping if it is a single character. Otherwise use the title case, which then equals the simple
    // upper case (U+1FB3). If neither is a single character, there is no simple upper case (ß).
    let mapped = only(properties.uppercaseMapping) ?? only(properties.titlecaseMapping) ?? scalar
    return mapped.value < 0x80 ? scalar : mapped
  }

  private static func only(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }
}
