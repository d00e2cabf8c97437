/// Whether bytes are valid UTF-8, and whether they are even ASCII; looks at eight bytes at a time.
struct UTF8Check {
  /// Whether there are only ASCII bytes.
  private(set) var isASCII = true
  /// The offset of the first byte that is not UTF-8, or nil.
  private(set) var firstBroken: Int?

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = 0
    while position < bytes.count {
      while position + 8 <= bytes.count,
        raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      { position += 8 }
      guard position < bytes.count else { return }
      if bytes[position] < 0x80 {
        position += 1
        continue
      }
      isASCII = false
      guard let length = Self.sequenceLength(bytes, at: position) else {
        firstBroken = position
        return
      }
      position += length
    }
  }

  /// The length of the well-formed sequence at `position` (Unicode, table 3-7), or nil.
  private static func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
    func byte(_ distance: Int) -> UInt8 { position + distance < bytes.count ? bytes[position + distance] : 0 }
    func isTail(_ distance: Int) -> Bool { byte(distance) & 0xC0 == 0x80 }
    switch bytes[position] {
    case 0xC2...0xDF: return isTail(1) ? 2 : nil
    case 0xE0: return (0xA0...0xBF).contains(byte(1)) && isTail(2) ? 3 : nil
    case 0xED: return (0x80...0x9F).contains(byte(1)) && isTail(2) ? 3 : nil
    case 0xE1...0xEF: return isTail(1) && isTail(2) ? 3 : nil
    case 0xF0: return (0x90...0xBF).contains(byte(1)) && isTail(2) && isTail(3) ? 4 : nil
    case 0xF4: return (0x80...0x8F).contains(byte(1)) && isTail(2) && isTail(3) ? 4 : nil
    case 0xF1...0xF3: return isTail(1) && isTail(2) && isTail(3) ? 4 : nil
    default: return nil
    }
  }
}
