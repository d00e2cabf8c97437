/// A key's bytes as two machine words, and a bit of its own.
///
/// Outside of ``KeyTable``, because the type of an array whose elements depend on a constrained parameter is looked up
/// when the first one is made, through all conformances of the program.
private struct SpelledKey: Sendable {
  let low: UInt64
  let high: UInt64
  let bit: UInt64
}

/// Finds a key by its bytes: every key of the format fits in two machine words, which are compared at once.
struct KeyTable<Key: FormatKey>: Sendable {
  private let spellings: [SpelledKey]
  private let keys: [Key]
  /// The bits of the keys that the map must have.
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

  /// The key that these bytes spell, with a bit of its own, or nil.
  @inline(__always)
  func entry(_ bytes: UnsafeBufferPointer<UInt8>) -> (key: Key, bit: UInt64)? {
    guard let (low, high) = Self.words(bytes) else { return nil }
    for index in spellings.indices where spellings[index].low == low && spellings[index].high == high {
      return (keys[index], spellings[index].bit)
    }
    return nil
  }

  /// The required keys that are not among `seen`.
  func missing(_ seen: UInt64) -> [Key] {
    keys.indices.filter { spellings[$0].bit & requiredBits & ~seen != 0 }.map { keys[$0] }
  }

  /// The bytes padded with zeros, which no key contains; nil past 16 bytes.
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
