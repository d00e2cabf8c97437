import CFlowStore

/// CRC-32C: tells damage, keeps no secret.
public enum Checksum {
  /// The checksum of bytes behind those that `seed` is the checksum of.
  public static func of(_ bytes: some Collection<UInt8>, behind seed: UInt32 = 0) -> UInt32 {
    bytes.withContiguousStorageIfAvailable { flow_crc32c(seed, $0.baseAddress, $0.count) }
      ?? Array(bytes).withUnsafeBufferPointer { flow_crc32c(seed, $0.baseAddress, $0.count) }
  }

  /// The checksum of a text's UTF-8 behind what `seed` is the checksum of.
  public static func of(_ text: String, behind seed: UInt32 = 0) -> UInt32 { of(Array(text.utf8), behind: seed) }

  /// The checksum of a number's eight bytes behind what `seed` is the checksum of.
  public static func of(_ number: Int, behind seed: UInt32 = 0) -> UInt32 {
    withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) { flow_crc32c(seed, $0.baseAddress, $0.count) }
  }
}

/// A number that distinguishes contents, made many times as fast as one that keeps secrets: nothing secret depends on it.
public enum Fingerprint {
  /// The fingerprint of bytes: 62 bits, and one above them that is always set.
  public static func of(_ bytes: [UInt8]) -> Int {
    let whole = bytes.withUnsafeBufferPointer { flow_fingerprint($0.baseAddress, $0.count) }
    return Int(whole >> 2 | 1 << 62)
  }
}
