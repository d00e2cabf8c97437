/// A key's bytes in two machine words, and the bit that represents the key.
///
/// It is not nested in ``KeyTable``: for an array whose element type depends on a constrained parameter, the runtime
/// would search all protocol conformances of the program.
private struct SpelledKey: Sendable {
  let low: UInt64
  let high: UInt64
  let bit: UInt64
}

/// Finds keys by their bytes. Every key of the format fits in two machine words, which makes comparisons fast.
struct KeyTable<Key: FormatKey>: Sendable {
  private let spellings: [SpelledKey]
  private let keys: [Key]
  /// The bits of the required keys.
  let requiredBits: UInt64

  init() {
    var spellings: [SpelledKey] = []
    var keys: [Key] = []
    var required: UInt64 = 0
    for key in Key.allCases {
      var text = key.rawValue
      let (low, high) = text.withUTF8 { Self.words($0)! }
      let bit: UInt64 = 1 << UInt64(keys.count)
      spellings.append(SpelledKey(low: low, high: high, bit: bit))
      keys.append(key)
      if key.isRequired { required |= bit }
    }
    self.spellings = spellings
    self.keys = keys
    requiredBits = required
  }

  /// Returns the key with these bytes and the bit that represents it, or nil if there is no such key.
  @inline(__always)
  func entry(_ bytes: UnsafeBufferPointer<UInt8>) -> (key: Key, bit: UInt64)? {
    guard let (low, high) = Self.words(bytes) else { return nil }
    for index in spellings.indices where spellings[index].low == low && spellings[index].high == high {
      return (keys[index], spellings[index].bit)
    }
    return nil
  }

  /// Returns the required keys whose bits are not in `seen`.
  func missing(_ seen: UInt64) -> [Key] {
    keys.indices.filter { spellings[$0].bit & requiredBits & ~seen != 0 }.map { keys[$0] }
  }

  /// Returns the bytes padded with zeros, or nil if there are more than 16. No key contains a zero.
  @inline(__always)
  private static func words(_ bytes: UnsafeBufferPointer<UInt8>) -> (UInt64, UInt64)? {
    guard bytes.count <= 16 else { return nil }
    var low: UInt64 = 0
    var high: UInt64 = 0
    for index in 0..<min(8, bytes.count) { low |= UInt64(bytes[index]) << UInt64(index * 8) }
    if bytes.count > 8 {
      for index in 8..<bytes.count { high |= UInt64(bytes[index]) << UInt64((index - 8) * 8) }
    }
    return (low, high)
  }
}
