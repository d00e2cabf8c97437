/// A table of names that compares bytes and creates no strings. It resolves the ids of 100,000 steps.
struct NameTable {
  private var slots: [Int32]
  private var entries: [(hash: UInt64, node: NodeID)] = []
  private let seed: UInt64

  /// Creates a table for about `capacity` names. Its hashes use a random seed, so that no file can be written to cause
  /// collisions.
  init(capacity: Int) {
    var size = 16
    while size < capacity * 2 { size *= 2 }
    slots = [Int32](repeating: -1, count: size)
    entries.reserveCapacity(capacity)
    seed = UInt64.random(in: .min ... .max) | 1
  }

  var count: Int { entries.count }

  /// Returns the node that added the name with this index.
  func node(_ index: Int) -> NodeID { entries[index].node }

  @inline(__always)
  func index(of node: NodeID, in tree: borrowing NodeTree) -> Int? {
    tree.withText(node) { index(of: $0, in: tree) }
  }

  func index(ofText text: String, in tree: borrowing NodeTree) -> Int? {
    var text = text
    return text.withUTF8 { index(of: $0, in: tree) }
  }

  @inline(__always)
  private func index(of bytes: UnsafeBufferPointer<UInt8>, in tree: borrowing NodeTree) -> Int? {
    let hash = hash(bytes)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.hash == hash, tree.withText(entry.node, { Self.isEqual($0, bytes) }) { return Int(slots[slot]) }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds the name in a node and returns its index. If the name has already been added, returns its existing index.
  @inline(__always)
  mutating func insert(_ node: NodeID, in tree: borrowing NodeTree) -> (index: Int, isNew: Bool) {
    if entries.count * 2 >= slots.count { grow() }
    let hash = tree.withText(node) { self.hash($0) }
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.hash == hash,
        tree.withText(entry.node, { left in tree.withText(node) { Self.isEqual(left, $0) } })
      {
        return (Int(slots[slot]), false)
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    slots[slot] = Int32(entries.count)
    entries.append((hash, node))
    return (entries.count - 1, true)
  }

  private mutating func grow() {
    slots = [Int32](repeating: -1, count: slots.count * 2)
    for (index, entry) in entries.enumerated() {
      var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
      while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(index)
    }
  }

  @inline(__always)
  private static func isEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left[index] != right[index] { return false }
    return true
  }

  /// Returns a hash. Eight bytes at a time are multiplied by an odd constant, and the halves of the product are
  /// combined.
  @inline(__always)
  private func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(bytes)
    var hash = seed ^ UInt64(bytes.count)
    var position = 0
    while position + 8 <= bytes.count {
      hash = Self.fold(hash ^ raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position += 8
    }
    var rest: UInt64 = 0
    while position < bytes.count {
      rest = rest << 8 | UInt64(bytes[position])
      position += 1
    }
    return Self.fold(hash ^ rest)
  }

  @inline(__always)
  private static func fold(_ value: UInt64) -> UInt64 {
    let product = (value ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
  }
}
