/// Folds names for comparison. A folded name contains only lower-case letters and digits, without diacritics, and
/// simplified Chinese characters. The endings of Chinese divisions (市, 省, 县, …), which people often leave out, are
/// removed.
///
/// The script that creates the tables folds names in the same way. A test checks that the resulting order is the same.
struct Folding: Sendable {
  /// The Han characters whose simplified form is in the tables.
  private static let han: ClosedRange<UInt32> = 0x3400...0x9FFF

  /// The simplified form of each character in `han`.
  private let simplified: MappedArray<UInt16>

  init(_ index: TableIndex) throws(TableError) {
    simplified = try index.array(.simplifiedCharacters, of: UInt16.self, count: Self.han.count)
  }

  /// The endings of Chinese divisions, longest first. An ending is removed only if at least two characters remain.
  static let suffixes: [[UInt8]] = [
    "特别行政区", "维吾尔自治区", "壮族自治区", "回族自治区", "自治区", "自治州", "自治县", "地区",
    "省", "市", "县", "区", "盟", "旗",
  ].map { Array($0.utf8) }

  /// The base letters of U+00C0 … U+024F. `-` removes the character, and `+` means that `foldRest` handles it.
  private static let latin: StaticString = """
    aaaaaa+ceeeeiiiidnooooo-ouuuuy++aaaaaa+ceeeeiiiidnooooo-ouuuuy+y\
    aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii++jjkkkllllll+\
    +llnnnnnnnnnoooooo++rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs\
    +b++++o+++d+++eee+++++++kk++++++oo+++++++++++++uu++yy+++++++++++\
    +++++++++++++aaiioouuuuuuuuuueaaaa++++ggkkoooo++j+++gg++nnaa++oo\
    aaaaeeeeiiiioooorrrruuuusstt++hh++++++aaeeooooooooyy++++++++++++\
    ++++++++++++++++
    """
  /// The base letters of U+1E00 … U+1EFF, in the format of `latin`.
  private static let latinAdditional: StaticString = """
    aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmm\
    mmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuuuuuuuuuvvvv\
    wwwwwwwwwwxxxxyyzzzzzzhtwy+s++++aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeee\
    eeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy++++++
    """

  /// The folded forms of U+0000 … U+007F. A zero removes the character.
  private static let ascii: [UInt8] = (0..<128).map { byte in
    let letter = UInt8(byte) | 0x20
    return UInt8(byte) &- 48 < 10 ? UInt8(byte) : letter &- 97 < 26 && byte >= 65 ? letter : 0
  }

  /// Folds UTF-8 text into `key` and replaces its previous content.
  func fold(_ text: UnsafeRawBufferPointer, into key: inout FoldedName) {
    key.count = 0
    var offset = 0
    var isHan = true
    Self.ascii.withUnsafeBufferPointer { ascii in
      while offset < text.count {
        let byte = text[offset]
        if byte < 0x80 {
          offset += 1
          let letter = ascii[Int(byte)]
          guard letter != 0 else { continue }
          isHan = false
          key.append(letter)
          continue
        }
        let (scalar, length) = Self.decode(text, at: offset)
        switch scalar {
        case Self.han:
          let simple = simplified[Int(scalar - Self.han.lowerBound)]
          key.append(UInt8(truncatingIfNeeded: 0xE0 | simple >> 12))
          key.append(UInt8(truncatingIfNeeded: 0x80 | simple >> 6 & 0x3F))
          key.append(UInt8(truncatingIfNeeded: 0x80 | simple & 0x3F))
        case 0xC0...0x24F:
          isHan = false
          Self.append(Self.latin.utf8Start[Int(scalar - 0xC0)], scalar, to: &key)
        case 0x1E00...0x1EFF:
          isHan = false
          Self.append(Self.latinAdditional.utf8Start[Int(scalar - 0x1E00)], scalar, to: &key)
        default:
          let before = key.count
          Self.foldRest(scalar, into: &key)
          if key.count > before { isHan = false }
        }
        offset += length
      }
    }
    key.wholeCount = key.count
    if isHan { Self.dropSuffix(&key) }
  }

  /// True if the text contains a letter or a digit.
  func isName(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      FoldedName.withTwo { key, _ in
        fold(UnsafeRawBufferPointer(bytes), into: &key)
        return !key.isEmpty
      }
    }
  }

  @inline(__always)
  private static func append(_ letter: UInt8, _ scalar: UInt32, to key: inout FoldedName) {
    switch letter {
    case UInt8(ascii: "+"): foldRest(scalar, into: &key)
    case UInt8(ascii: "-"): break
    default: key.append(letter)
    }
  }

  /// Folds letters that become two letters, and all characters that are neither Latin nor Han. Other letters and digits
  /// are lowercased.
  private static func foldRest(_ value: UInt32, into key: inout FoldedName) {
    switch value {
    case 0xC6, 0xE6, 0x1E2, 0x1E3, 0x1FC, 0x1FD: key.append(contentsOf: "ae".utf8)
    case 0x152, 0x153: key.append(contentsOf: "oe".utf8)
    case 0xDE, 0xFE: key.append(contentsOf: "th".utf8)
    case 0xDF, 0x1E9E: key.append(contentsOf: "ss".utf8)
    case 0x253: key.append(UInt8(ascii: "b"))
    case 0x254: key.append(UInt8(ascii: "o"))
    case 0x257: key.append(UInt8(ascii: "d"))
    case 0x259, 0x25B: key.append(UInt8(ascii: "e"))
    case 0x199: key.append(UInt8(ascii: "k"))
    case 0x1B4: key.append(UInt8(ascii: "y"))
    case 0x2BB, 0x2BC: break
    case 0xFF01...0xFF5E:
      // Full-width letters and digits, which Chinese input methods produce.
      let ascii = UInt8(value - 0xFEE0)
      if ascii &- 48 < 10 { key.append(ascii) } else if (ascii | 0x20) &- 97 < 26 { key.append(ascii | 0x20) }
    default:
      guard let scalar = Unicode.Scalar(value) else { return }
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
        .letterNumber, .otherNumber:
        key.append(contentsOf: scalar.properties.lowercaseMapping.utf8)
      default: break
      }
    }
  }

  private static func dropSuffix(_ key: inout FoldedName) {
    for suffix in suffixes where key.count >= suffix.count + 6 && key.hasSuffix(suffix) {
      key.count -= suffix.count
      return
    }
  }

  /// Decodes one scalar of valid UTF-8. If it is incomplete at the end of the text, its first byte is returned.
  @inline(__always)
  private static func decode(_ text: UnsafeRawBufferPointer, at offset: Int) -> (scalar: UInt32, length: Int) {
    let first = UInt32(text[offset])
    func next(_ index: Int) -> UInt32 { UInt32(text[offset + index] & 0x3F) }
    let left = text.count - offset
    if first < 0xE0, left >= 2 { return ((first & 0x1F) << 6 | next(1), 2) }
    if first < 0xF0, left >= 3 { return ((first & 0x0F) << 12 | next(1) << 6 | next(2), 3) }
    if left >= 4 { return ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4) }
    return (first, 1)
  }
}
