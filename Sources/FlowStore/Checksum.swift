import CFlowStore

/// CRC-32C checksums. They detect damage, but not tampering.
package enum Checksum {
  /// Returns the checksum of bytes. `seed` is the checksum of the bytes that precede them, or 0.
  package static func of(_ bytes: some Collection<UInt8>, behind seed: UInt32 = 0) -> UInt32 {
    bytes.withContiguousStorageIfAvailable { flow_crc32c(seed, $0.baseAddress, $0.count) }
      ?? Array(bytes).withUnsafeBufferPointer { flow_crc32c(seed, $0.baseAddress, $0.count) }
  }

  /// Returns the checksum of a string's UTF-8. `seed` is the checksum of the bytes that precede it, or 0.
  package static func of(_ text: String, behind seed: UInt32 = 0) -> UInt32 { of(Array(text.utf8), behind: seed) }

  /// Returns the checksum of a number's eight bytes. `seed` is the checksum of the bytes that precede them, or 0.
  package static func of(_ number: Int, behind seed: UInt32 = 0) -> UInt32 {
    withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) { flow_crc32c(seed, $0.baseAddress, $0.count) }
  }
}

/// Hashes that distinguish contents. They are many times faster than cryptographic hashes, but offer no security.
package enum Fingerprint {
  /// Returns a fingerprint of 62 bits. The next higher bit of the number is always set.
  package static func of(_ bytes: [UInt8]) -> Int {
    let whole = bytes.withUnsafeBufferPointer { flow_fingerprint($0.baseAddress, $0.count) }
    return Int(whole >> 2 | 1 << 62)
  }
}
