/// Integers of variable length: seven bits per byte, lowest first, with the high bit set in all bytes but the last
/// (unsigned LEB128 of DWARF 5, section 7.6).
public enum LEB128 {
  /// The maximum length of a number in bytes.
  public static let mostBytes = 10

  /// Calls `put` with each byte of the encoding of `number`.
  @inlinable @inline(__always)
  public static func write(_ number: UInt64, _ put: (UInt8) -> Void) {
    var rest = number
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// Returns the length of the encoding of `number` in bytes.
  @inlinable @inline(__always)
  public static func size(of number: UInt64) -> Int { max(1, (70 - number.leadingZeroBitCount) / 7) }

  /// The reason why bytes are not a number.
  public enum NumberProblem: Error {
    /// The bytes end within the number.
    case truncated
    /// The number has more than 64 bits.
    case tooLarge
    /// The last byte is a redundant zero.
    case notShortest
  }

  /// Reads the number at `offset` and advances `offset` past it. Leaves `offset` unchanged if it throws.
  @inlinable
  public static func read(_ bytes: [UInt8], at offset: inout Int) throws(NumberProblem) -> UInt64 {
    var (result, shift, next) = (UInt64(0), UInt64(0), offset)
    while next < bytes.count {
      let byte = bytes[next]
      let bits = UInt64(byte & 0x7f)
      if shift > 63 || (shift == 63 && bits > 1) { throw .tooLarge }
      result |= bits << shift
      next += 1
      if byte < 0x80 {
        if byte == 0, shift > 0 { throw .notShortest }
        offset = next
        return result
      }
      shift += 7
    }
    throw .truncated
  }

  /// Returns the zigzag encoding, an unsigned number that is small if `number` is near zero.
  @inlinable @inline(__always)
  public static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }

  /// Returns the number whose ``zigzag(_:)`` encoding is `number`.
  @inlinable @inline(__always)
  public static func signed(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }
}
