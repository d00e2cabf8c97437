/// SHA-256 (FIPS 180-4), a hash that also detects deliberate changes to a file.
package struct SHA256 {
  private var state: (UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32, UInt32) = (
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
  )
  private var rest: [UInt8] = []
  private var totalBytes = 0

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]

  package init() {}

  package mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    totalBytes += bytes.count
    var bytes = bytes
    if !rest.isEmpty {
      let count = min(64 - rest.count, bytes.count)
      rest += bytes.prefix(count)
      bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
      guard rest.count == 64 else { return }
      rest.withUnsafeBytes { block($0) }
      rest.removeAll(keepingCapacity: true)
    }
    while bytes.count >= 64 {
      block(UnsafeRawBufferPointer(rebasing: bytes[..<64]))
      bytes = UnsafeRawBufferPointer(rebasing: bytes[64...])
    }
    rest += bytes
  }

  package mutating func combine(_ bytes: [UInt8]) { bytes.withUnsafeBytes { combine($0) } }

  /// Returns the digest in hexadecimal. After this call, no bytes may be added.
  package mutating func finish() -> String {
    let bits = UInt64(totalBytes) * 8
    var padding = [UInt8](repeating: 0, count: 1 + (119 - rest.count) % 64)
    padding[0] = 0x80
    for shift in stride(from: 56, through: 0, by: -8) {
      padding.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    combine(padding)
    let words = (state.0, state.1, state.2, state.3, state.4, state.5, state.6, state.7)
    return withUnsafeBytes(of: words) { bytes in
      String(unsafeUninitializedCapacity: 64) { digits in
        // The digest consists of big-endian words.
        for index in 0..<32 {
          let word = bytes.load(fromByteOffset: index & ~3, as: UInt32.self)
          let byte = UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * (index & 3)))
          digits[2 * index] = Self.digit(byte >> 4)
          digits[2 * index + 1] = Self.digit(byte & 15)
        }
        return 64
      }
    }
  }

  private static func digit(_ number: UInt8) -> UInt8 {
    number + (number < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
  }

  private mutating func block(_ bytes: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for index in 0..<16 {
        words[index] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = Self.rotated(early, 7) ^ Self.rotated(early, 18) ^ early >> 3
        let second = Self.rotated(late, 17) ^ Self.rotated(late, 19) ^ late >> 10
        words[index] = words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      mix(words)
    }
  }

  private mutating func mix(_ words: UnsafeMutableBufferPointer<UInt32>) {
    var (a, b, c, d, e, f, g, h) = state
    Self.constants.withUnsafeBufferPointer { constants in
      for index in 0..<64 {
        let sum = Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)
        let first = h &+ sum &+ ((e & f) ^ (~e & g)) &+ constants[index] &+ words[index]
        let other = Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)
        let second = other &+ ((a & b) ^ (a & c) ^ (b & c))
        (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
      }
    }
    state = (
      state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e, state.5 &+ f, state.6 &+ g, state.7 &+ h
    )
  }

  @inline(__always)
  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
}
