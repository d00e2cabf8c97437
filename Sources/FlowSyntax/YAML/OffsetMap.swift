/// Converts libyaml's positions, which count code points, to byte offsets.
struct OffsetMap {
  /// The offset of the first byte that libyaml receives: 3 after a byte order mark, otherwise 0.
  let base: Int
  private let checkpoints: [Int]
  private static let stride = 64
  /// The index and the offset of the last converted code point. libyaml's next position is usually a little later.
  private var last = (index: 0, offset: 0)

  /// Creates a map for `bytes`, which must be valid UTF-8.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    base = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard !Self.isASCII(bytes) else {
      checkpoints = []
      return
    }
    var checkpoints: [Int] = []
    var count = 0
    for offset in base..<bytes.count where bytes[offset] & 0xC0 != 0x80 {
      if count % Self.stride == 0 { checkpoints.append(offset) }
      count += 1
    }
    self.checkpoints = checkpoints
  }

  /// Returns the byte offset of the code point at this index.
  @inline(__always)
  mutating func offset(of index: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    guard !checkpoints.isEmpty else { return min(base + index, bytes.count) }
    guard index / Self.stride < checkpoints.count else { return bytes.count }
    var offset = checkpoints[index / Self.stride]
    var rest = index % Self.stride
    if index >= last.index, index - last.index < rest { (offset, rest) = (last.offset, index - last.index) }
    while offset < bytes.count {
      if bytes[offset] & 0xC0 != 0x80 {
        if rest == 0 { break }
        rest -= 1
      }
      offset += 1
    }
    last = (index, offset)
    return offset
  }

  /// True if all bytes are ASCII. Checks eight bytes at a time.
  private static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let raw = UnsafeRawBufferPointer(bytes)
    var position = 0
    while position + 8 <= bytes.count {
      if raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
      position += 8
    }
    return bytes[position...].allSatisfy { $0 < 0x80 }
  }
}
