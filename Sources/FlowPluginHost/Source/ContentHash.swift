import FlowBytes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A hash of contents (FNV-1a, 128 bits). It is not cryptographic and must not be used for security.
struct ContentHash: Sendable {
  /// The number of characters of ``text``.
  static let textLength = 32
  private var hash = FNV1a128()

  /// Adds bytes followed by their number, so that two parts do not have the same hash as their concatenation.
  mutating func combine(_ data: Data) {
    hash.add(data)
    hash.add(UInt64(data.count))
  }

  mutating func combine(_ text: String) { combine(Data(text.utf8)) }

  /// The hash as a file's modification time, in seconds since 1970. It has 31 bits, which every file system can store.
  var seconds: Int { Int(truncatingIfNeeded: hash.value ^ (hash.value >> 64)) & 0x7FFF_FFFF }

  /// The hash as 32 hexadecimal digits.
  var text: String {
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: Self.textLength - digits.count) + digits
  }
}
