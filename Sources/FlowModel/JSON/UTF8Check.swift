/// Validates UTF-8 (Unicode 15, table 3-7).
package enum UTF8Check {
  /// Returns the offset of the first ill-formed sequence, or nil if there is none.
  package static func firstInvalidOffset(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = 0
    while position < bytes.count {
      // Most text is ASCII, so eight bytes are checked at a time.
      while position + 8 <= bytes.count,
        raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
      {
        position += 8
      }
      guard position < bytes.count else { return nil }
      let lead = bytes[position]
      if lead < 0x80 {
        position += 1
        continue
      }
      guard let length = sequenceLength(at: position, in: bytes) else { return position }
      position += length
    }
    return nil
  }

  private static func sequenceLength(at position: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[position] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: length = 4
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard bytes.count - position >= length, second.contains(bytes[position + 1]) else { return nil }
    for index in 2..<max(length, 2) where bytes[position + index] & 0xC0 != 0x80 { return nil }
    return length
  }
}
