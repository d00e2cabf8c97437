import FlowPluginKit

extension RunInformation {
  /// A fresh id: a UUID of version 4 (RFC 9562) in lower case.
  static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    let high = generator.next() & ~0xF000 | 0x4000
    let low = generator.next() & ~(0b11 << 62) | (0b10 << 62)
    return String(unsafeUninitializedCapacity: 36) { text in
      var position = 0
      for digit in 0..<32 {
        if digit >= 8, digit <= 20, digit % 4 == 0 {
          text[position] = UInt8(ascii: "-")
          position += 1
        }
        let value = UInt8(truncatingIfNeeded: (digit < 16 ? high : low) >> UInt64(60 - digit % 16 * 4)) & 0xF
        text[position] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
        position += 1
      }
      return position
    }
  }
}
