#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// FNV-1a of 128 bits: tells contents apart; nothing secret depends on it.
struct ContentHash: Sendable {
  /// How many characters ``text`` has.
  static let textLength = 32
  private var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  /// Takes up bytes and their number, so that two parts differ from one.
  mutating func combine(_ data: Data) {
    for byte in data { combine(byte) }
    withUnsafeBytes(of: data.count.littleEndian) { for byte in $0 { combine(byte) } }
  }

  /// Takes up a text.
  mutating func combine(_ text: String) { combine(Data(text.utf8)) }

  private mutating func combine(_ byte: UInt8) {
    state = (state ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
  }

  /// The hash as a time that every file system can keep: seconds since 1970, of 31 bits.
  var seconds: Int { Int(truncatingIfNeeded: state ^ (state >> 64)) & 0x7FFF_FFFF }

  /// The hash in hexadecimal.
  var text: String {
    let digits = String(state, radix: 16)
    return String(repeating: "0", count: Self.textLength - digits.count) + digits
  }
}
