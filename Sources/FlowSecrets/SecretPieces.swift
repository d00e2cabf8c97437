/// Finds lines of a secret's base64, which programs split at any width.
struct SecretPieces: Sendable {
  /// The minimum length of a line in bytes.
  private static let leastBytes = 12
  /// The number of complete bytes that even the shortest line encodes, wherever it begins.
  private static let windowBytes = 8

  /// All sequences of eight bytes in secrets, in a hash table with linear probing. 0 is an empty slot, because secrets
  /// contain no zero bytes.
  private var windows: [UInt64]
  private let mask: Int

  /// Creates the table for the given secrets.
  init(_ texts: [[UInt8]]) {
    let count = texts.reduce(0) { $0 + max(0, $1.count - Self.windowBytes + 1) }
    var capacity = 16
    while capacity < count * 3 / 2 { capacity *= 2 }
    mask = capacity - 1
    windows = count > 0 ? Array(repeating: 0, count: capacity) : []
    for text in texts where text.count >= Self.windowBytes {
      var window: UInt64 = 0
      for (index, byte) in text.enumerated() {
        window = window << 8 | UInt64(byte)
        if index >= Self.windowBytes - 1 { insert(window) }
      }
    }
  }

  private func slot(of window: UInt64) -> Int {
    Int(truncatingIfNeeded: (window &* 0x9E37_79B9_7F4A_7C15) >> 20) & mask
  }

  private mutating func insert(_ window: UInt64) {
    var slot = slot(of: window)
    while windows[slot] != 0, windows[slot] != window { slot = (slot + 1) & mask }
    windows[slot] = window
  }

  private func contains(_ window: UInt64) -> Bool {
    if window == 0 { return false }
    var slot = slot(of: window)
    while windows[slot] != 0 {
      if windows[slot] == window { return true }
      slot = (slot + 1) & mask
    }
    return false
  }

  /// Returns the lines in `bytes` that encode a part of a secret, without their line breaks.
  func lines(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    guard !windows.isEmpty, bytes.count >= Self.leastBytes else { return [] }
    var lines: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let lineEnd = Self.lineEnd(in: bytes, from: start)
      if lineEnd - start >= Self.leastBytes, isPiece(bytes, start..<lineEnd) { lines.append(start..<lineEnd) }
      start = lineEnd + 1
    }
    return lines
  }

  /// Returns true if a line is base64 and every sequence of eight bytes that it encodes occurs in a secret.
  private func isPiece(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>) -> Bool {
    // The first 72 bits that the line encodes: `low` has the last 64 of them, `high` the first 8.
    var (low, high): (UInt64, UInt64) = (0, 0)
    for index in 0..<Self.leastBytes {
      guard let digit = bytes[line.lowerBound + index].base64Digit else { return false }
      low = low << 6 | UInt64(digit)
      if index < 2 { high = low }
    }
    high >>= 4
    // The line may begin in the middle of a byte.
    return ([0, 2, 4, 6] as [UInt64]).contains { skipped in
      contains(low >> (8 - skipped) | high << (56 + skipped)) && isPiece(bytes, line, skippedBits: Int(skipped))
    }
  }

  /// Returns true if every sequence of eight bytes in a line occurs in a secret. `skippedBits` is the number of bits
  /// before the first complete byte.
  private func isPiece(_ bytes: UnsafeBufferPointer<UInt8>, _ line: Range<Int>, skippedBits: Int) -> Bool {
    var end = line.upperBound
    while end > line.lowerBound, [UInt8(ascii: "\r"), UInt8(ascii: "=")].contains(bytes[end - 1]) { end -= 1 }
    guard end - line.lowerBound >= Self.leastBytes else { return false }
    var (bits, window, count) = (-skippedBits, UInt64(0), 0)
    var word: UInt32 = 0
    for byte in bytes[line.lowerBound..<end] {
      guard let digit = byte.base64Digit else { return false }
      word = (word << 6 | digit) & 0xFFFF
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      window = window << 8 | UInt64(word >> UInt32(bits) & 0xFF)
      count += 1
      if count >= Self.windowBytes, !contains(window) { return false }
    }
    return true
  }

  /// Returns the index of the next line break, or the end of the text. Compares eight bytes at a time.
  private static func lineEnd(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
    var index = start
    while index + 8 <= bytes.count {
      let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: index, as: UInt64.self)
      // This turns line breaks into zero bytes.
      let zeros = word ^ ones &* UInt64(UInt8(ascii: "\n"))
      let found = (zeros &- ones) & ~zeros & highs
      if found != 0 { return index + UInt64(littleEndian: found).trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    return index
  }
}
