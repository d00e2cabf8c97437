/// Whole numbers in as many bytes as they need: seven bits in each byte, the lowest first, and a high bit in every byte
/// but the last (unsigned LEB128 of DWARF 5, section 7.6).
public enum LEB128 {
  /// The most bytes of a number.
  public static let mostBytes = 10

  /// Passes the bytes of `number` to `put`, one by one.
  @inlinable @inline(__always)
  public static func write(_ number: UInt64, _ put: (UInt8) -> Void) {
    var rest = number
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// How many bytes `number` takes.
  @inlinable @inline(__always)
  public static func size(of number: UInt64) -> Int { max(1, (70 - number.leadingZeroBitCount) / 7) }

  /// Why bytes are not a number.
  public enum NumberProblem: Error {
    /// The bytes end before the number does.
    case truncated
    /// The number has more than 64 bits.
    case tooLarge
    /// The last byte is a needless zero.
    case notShortest
  }

  /// Reads the number at `offset`, and moves `offset` past it; it stays where it is when the bytes are not a number.
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

  /// Returns a number without a sign that is small where `number` is near zero (the zigzag form).
  @inlinable @inline(__always)
  public static func zigzag(_ number: Int64) -> UInt64 { UInt64(bitPattern: (number << 1) ^ (number >> 63)) }

  /// Returns the number that ``zigzag(_:)`` made `number` from.
  @inlinable @inline(__always)
  public static func signed(_ number: UInt64) -> Int64 {
    Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }
}
