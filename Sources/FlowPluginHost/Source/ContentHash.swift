import FlowBytes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Distinguishes contents (FNV-1a of 128 bits); must not be used for security.
struct ContentHash: Sendable {
  /// The number of characters of ``text``.
  static let textLength = 32
  private var hash = FNV1a128()

  /// Adds bytes and their number, so that two parts differ from one.
  mutating func combine(_ data: Data) {
    hash.add(data)
    hash.add(UInt64(data.count))
  }

  /// Adds a text.
  mutating func combine(_ text: String) { combine(Data(text.utf8)) }

  /// The hash as a time that every file system can store: 31 bits, in seconds since 1970.
  var seconds: Int { Int(truncatingIfNeeded: hash.value ^ (hash.value >> 64)) & 0x7FFF_FFFF }

  /// The hash in hexadecimal.
  var text: String {
    let digits = String(hash.value, radix: 16)
    return String(repeating: "0", count: Self.textLength - digits.count) + digits
  }
}
