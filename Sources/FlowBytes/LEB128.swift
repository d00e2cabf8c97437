/// The variable-length encoding of integers in unsigned LEB128 (DWARF 5, section 7.6). Each byte contains seven bits,
/// lowest first. The high bit is set in all bytes but the last.
public enum LEB128 {
  /// The maximum length of an encoded 64-bit number, in bytes.
  public static let mostBytes = 10

  /// Encodes a number and calls `put` with each byte.
  @inlinable @inline(__always)
  public static func write(_ number: UInt64, _ put: (UInt8) -> Void) {
    var rest = number
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// Returns the length of the encoded number in bytes.
  @inlinable @inline(__always)
  public static func size(of number: UInt64) -> Int { max(1, (70 - number.leadingZeroBitCount) / 7) }

  /// The reason why bytes cannot be decoded as a number.
  public enum NumberProblem: Error {
    /// The bytes end before the end of the number.
    case truncated
    /// The number has more than 64 bits.
    case tooLarge
    /// The encoding is longer than necessary: its last byte is zero.
    case notShortest
  }

  /// Decodes the number at `offset` and advances `offset` past it. If it throws, `offset` is unchanged.
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

  /// Returns the zigzag encoding of a number: an unsigned number that is small if `number` is close to zero.
  @inlinable @inline(__always)
  public static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }

  /// Returns the signed number whose ``zigzag(_:)`` encoding is `number`.
  @inlinable @inline(__always)
  public static func signed(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }
}
