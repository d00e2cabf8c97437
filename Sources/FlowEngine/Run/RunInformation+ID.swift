import FlowPluginKit

extension RunInformation {
  /// Returns a new id: a UUID of version 7 (RFC 9562) in lower case. Its first 48 bits are the milliseconds since 1970,
  /// so that ids sort by start time. Output for users shows only the last 32 bits.
  package static func newID() -> String {
    var generator = SystemRandomNumberGenerator()
    let high = UInt64(RunJournal.wallMilliseconds) << 16 | generator.next() & 0x0FFF | 0x7000
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
