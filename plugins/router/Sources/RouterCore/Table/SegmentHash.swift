/// Hashes segments. The hash ignores the case of ASCII letters, so one table serves both kinds of comparison.
///
/// Processes eight bytes at a time with a 128-bit product (the idea of wyhash). Tables contain only the application's
/// own patterns, so an attacker cannot choose keys that collide.
enum SegmentHash {
  private static let fold: UInt64 = 0x2020_2020_2020_2020
  private static let first: UInt64 = 0xA076_1D64_78BD_642F
  private static let second: UInt64 = 0xE703_7ED1_A0B4_28DB

  /// Returns the hash of the bytes from `start` to `end`.
  @inline(__always)
  static func hash(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> UInt64 {
    let raw = bytes.bytes
    var state = first
    var position = start
    while end - position > 8 {
      state = mix(state ^ (SegmentBytes.word(raw, at: position) | fold), second)
      position += 8
    }
    return mix(
      state ^ (SegmentBytes.tail(raw, from: position, to: end) | fold), first ^ UInt64(truncatingIfNeeded: end - start))
  }

  /// Returns the hash of a segment combined with its parent node.
  @inline(__always)
  static func combine(_ hash: UInt64, below parent: Int32) -> UInt64 {
    mix(hash ^ second, first ^ UInt64(truncatingIfNeeded: parent))
  }

  @inline(__always)
  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }
}

/// Reads segments in words of up to eight bytes.
enum SegmentBytes {
  @inline(__always)
  static func word(_ raw: RawSpan, at position: Int) -> UInt64 {
    // Any bit pattern is a valid integer, and the span checks the position.
    raw.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
  }

  /// Returns up to eight bytes as one word. Different bytes of the same length give different words.
  @inline(__always)
  static func tail(_ raw: RawSpan, from start: Int, to end: Int) -> UInt64 {
    let count = end - start
    if count == 8 { return word(raw, at: start) }
    // Any bit pattern is a valid integer, and the span checks the positions.
    if count >= 4 {
      let low = raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self)
      let high = raw.unsafeLoadUnaligned(fromByteOffset: end - 4, as: UInt32.self)
      return UInt64(low) | UInt64(high) << 32
    }
    if count == 0 { return 0 }
    let head = raw.unsafeLoad(fromByteOffset: start, as: UInt8.self)
    let middle = raw.unsafeLoad(fromByteOffset: start + count / 2, as: UInt8.self)
    let last = raw.unsafeLoad(fromByteOffset: end - 1, as: UInt8.self)
    return UInt64(head) | UInt64(middle) << 8 | UInt64(last) << 16
  }

  @inline(__always)
  static func areEqual(_ left: RawSpan, at leftStart: Int, _ right: RawSpan, at rightStart: Int, count: Int) -> Bool {
    var position = 0
    while count - position > 8 {
      guard word(left, at: leftStart + position) == word(right, at: rightStart + position) else { return false }
      position += 8
    }
    return tail(left, from: leftStart + position, to: leftStart + count)
      == tail(right, from: rightStart + position, to: rightStart + count)
  }
}

/// An open-addressing hash table from hashes to children, with linear probing, at most half full.
struct LiteralIndex: Sendable {
  /// A child and the upper half of its hash. A free slot has the child −1.
  struct LiteralChild: Sendable {
    var tag: UInt32
    var child: Int32
  }

  private(set) var entries: [LiteralChild]
  private(set) var mask: Int
  private(set) var count = 0

  /// Creates an index with room for `capacity` children.
  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    entries = Array(repeating: LiteralChild(tag: 0, child: -1), count: size)
    mask = size - 1
  }

  /// Returns the child with this hash that satisfies `isWanted`, or −1 if there is none.
  @inline(__always)
  func find(_ hash: UInt64, _ isWanted: (Int32) -> Bool) -> Int32 {
    let tag = UInt32(truncatingIfNeeded: hash >> 32)
    var position = Int(truncatingIfNeeded: hash) & mask
    while true {
      let entry = entries[position]
      if entry.child < 0 { return -1 }
      if entry.tag == tag, isWanted(entry.child) { return entry.child }
      position = (position + 1) & mask
    }
  }

  /// Adds a child. The number of children must not exceed the initial capacity.
  mutating func insert(_ hash: UInt64, _ child: Int32) {
    precondition(count < entries.count / 2 + 1, "the index has room for its capacity only")
    var position = Int(truncatingIfNeeded: hash) & mask
    while entries[position].child >= 0 { position = (position + 1) & mask }
    entries[position] = LiteralChild(tag: UInt32(truncatingIfNeeded: hash >> 32), child: child)
    count += 1
  }
}
