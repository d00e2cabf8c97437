/// A set of bytes, stored as 256 bits.
struct ByteSet: Sendable {
  private var words = SIMD4<UInt64>()

  init() {}

  init(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { insert(byte) }
  }

  init(_ text: String) { self.init(text.utf8) }

  /// Creates the set of characters that represent the given digits in either alphabet of base64. `digits` has one bit
  /// for each of the 64 digits.
  init(digits: UInt64) {
    for digit in 0..<64 where digits >> UInt64(digit) & 1 == 1 {
      switch digit {
      case 0..<26: insert(UInt8(ascii: "A") + UInt8(digit))
      case 26..<52: insert(UInt8(ascii: "a") + UInt8(digit - 26))
      case 52..<62: insert(UInt8(ascii: "0") + UInt8(digit - 52))
      case 62: for byte in "+-".utf8 { insert(byte) }
      default: for byte in "/_".utf8 { insert(byte) }
      }
    }
  }

  var isEmpty: Bool { words == SIMD4() }

  mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

  func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1 }

  /// All bytes in the set, in ascending order.
  var all: [UInt8] { range(0..<256) }

  /// Returns the bytes of the set that are in a range, in ascending order.
  func range(_ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    var index = range.lowerBound
    while index < range.upperBound {
      let word = words[index >> 6] >> UInt64(index & 63)
      if word == 0 {
        index = (index >> 6 + 1) << 6
        continue
      }
      index += word.trailingZeroBitCount
      if index < range.upperBound { bytes.append(UInt8(index)) }
      index += 1
    }
    return bytes
  }
}

extension UInt8 {
  var hexDigit: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a")) + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A")) + 10
    default: nil
    }
  }

  /// The digit that the character represents in either alphabet of base64, or nil if it represents none.
  var base64Digit: UInt32? {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(self - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(self - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  /// The byte that the character represents after a backslash in JSON, or nil if it represents none.
  var jsonEscaped: UInt8? {
    switch self {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): self
    case UInt8(ascii: "b"): 8
    case UInt8(ascii: "f"): 12
    case UInt8(ascii: "n"): 10
    case UInt8(ascii: "r"): 13
    case UInt8(ascii: "t"): 9
    default: nil
    }
  }
}
