/// Finds a key by its bytes: every key of the format fits in two machine words, which are compared at once.
struct KeyTable<Key: FormatKey>: Sendable {
  /// A key with a bit of its own.
  struct Entry: Sendable {
    fileprivate let low: UInt64
    fileprivate let high: UInt64
    let key: Key
    let bit: UInt32
  }

  private let entries: [Entry]
  /// The bits of the keys that the map must have.
  let requiredBits: UInt32

  init() {
    entries = Key.allCases.enumerated().map { index, key in
      var text = key.rawValue
      let (low, high) = text.withUTF8 { Self.words($0)! }
      return Entry(low: low, high: high, key: key, bit: 1 << UInt32(index))
    }
    requiredBits = entries.filter(\.key.isRequired).reduce(0) { $0 | $1.bit }
  }

  /// The key that these bytes spell, or nil.
  @inline(__always)
  func entry(_ bytes: UnsafeBufferPointer<UInt8>) -> Entry? {
    guard let (low, high) = Self.words(bytes) else { return nil }
    for entry in entries where entry.low == low && entry.high == high { return entry }
    return nil
  }

  /// The required keys that are not among `seen`.
  func missing(_ seen: UInt32) -> [Key] {
    entries.filter { $0.bit & requiredBits & ~seen != 0 }.map(\.key)
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
