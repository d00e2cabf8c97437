import FlowBytes

/// The header of a compiled file: a magic number, the version of the format, and a checksum of the rest of the file.
///
/// The magic number contains a byte above 127, line ends of both kinds and the end-of-file character of old systems. So
/// a transfer in text mode is detected.
package enum CompiledFormat {
  package static let mark: [UInt8] = [0x8C, 0x66, 0x6C, 0x6F, 0x77, 0x0D, 0x0A, 0x1A]
  /// The version that is written. No other version can be read.
  package static let version: UInt64 = 1
  static let checksumBytes = 8

  /// Returns the checksum of the bytes from `start` on.
  static func checksum(_ bytes: [UInt8], from start: Int) -> UInt64 {
    var hash = FNV1a64()
    bytes.withUnsafeBufferPointer { bytes in
      for index in start..<bytes.count { hash.add(bytes[index]) }
    }
    return hash.value
  }
}
