// The declarations in this module are `public` instead of `package`. Swift neither inlines nor specializes `package`
// functions of another module, and these functions run for each byte. The module is not part of any product.

/// The 32-bit FNV-1a hash. It is fast, not cryptographic, and the same in every process.
///
/// Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
public struct FNV1a32: Hashable, Sendable {
  /// The FNV prime. The hash is multiplied by it for each byte.
  public static let prime: UInt32 = 0x0100_0193
  @usableFromInline var hash: UInt32 = 0x811c_9dc5
  /// The hash of the bytes added so far.
  public var value: UInt32 { hash }

  /// Creates the hash of an empty sequence.
  public init() {}

  /// Adds one byte to the hash.
  @inlinable @inline(__always)
  public mutating func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* Self.prime }

  /// Adds bytes to the hash, in order.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

  /// Adds the eight bytes of a number to the hash, in little-endian order.
  @inlinable
  public mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

/// The 64-bit FNV-1a hash. It is fast, not cryptographic, and the same in every process.
///
/// Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
public struct FNV1a64: Hashable, Sendable {
  /// The FNV prime. The hash is multiplied by it for each byte.
  public static let prime: UInt64 = 0x0100_0000_01b3
  @usableFromInline var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  /// The hash of the bytes added so far.
  public var value: UInt64 { hash }

  /// Creates the hash of an empty sequence.
  public init() {}

  /// Adds one byte to the hash.
  @inlinable @inline(__always)
  public mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* Self.prime }

  /// Adds bytes to the hash, in order.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) {
    // Iterating over the UTF-8 of a string takes several times as long.
    let isAdded: Void? = bytes.withContiguousStorageIfAvailable { for byte in $0 { add(byte) } }
    if isAdded == nil { for byte in bytes { add(byte) } }
  }

  /// Adds the eight bytes of a number to the hash, in little-endian order.
  @inlinable
  public mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

/// The 128-bit FNV-1a hash. It is fast, not cryptographic, and the same in every process.
///
/// Source: Fowler, Noll and Vo, "The FNV Non-Cryptographic Hash Algorithm", RFC 9923.
public struct FNV1a128: Hashable, Sendable {
  /// The FNV prime. The hash is multiplied by it for each byte.
  public static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b
  @usableFromInline var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
  /// The hash of the bytes added so far.
  public var value: UInt128 { hash }

  /// Creates the hash of an empty sequence.
  public init() {}

  /// Adds one byte to the hash.
  @inlinable @inline(__always)
  public mutating func add(_ byte: UInt8) { hash = (hash ^ UInt128(byte)) &* Self.prime }

  /// Adds bytes to the hash, in order.
  @inlinable
  public mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

  /// Adds the eight bytes of a number to the hash, in little-endian order.
  @inlinable
  public mutating func add(_ number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
