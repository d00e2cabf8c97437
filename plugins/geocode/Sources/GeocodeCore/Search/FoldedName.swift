/// A folded name in temporary memory, so that names can be compared without allocating.
struct FoldedName {
  /// The maximum number of bytes: more than three for each byte of the longest query, and more than any name in the
  /// tables needs. Longer names are truncated and then match no other name.
  static let capacity = 1024

  /// The folded bytes. Those at `count` and beyond are undefined.
  private let base: UnsafeMutablePointer<UInt8>
  /// The number of bytes in the folded name.
  var count = 0
  /// The number of bytes including the ending of a Chinese division. `count` does not include the ending.
  var wholeCount = 0

  /// Calls `body` with two names in temporary memory.
  static func withTwo<Result>(_ body: (inout FoldedName, inout FoldedName) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * capacity) { memory in
      var first = FoldedName(base: memory.baseAddress!)
      var second = FoldedName(base: memory.baseAddress! + capacity)
      return body(&first, &second)
    }
  }

  private init(base: UnsafeMutablePointer<UInt8>) { self.base = base }

  var isEmpty: Bool { count == 0 }

  /// Returns the byte at `index`. Traps outside the name.
  @inline(__always)
  subscript(_ index: Int) -> UInt8 {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
    return base[index]
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    guard count < Self.capacity else { return }
    base[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func append(contentsOf bytes: some Sequence<UInt8>) {
    for byte in bytes { append(byte) }
  }

  /// True if the names are equal, including the endings of Chinese divisions.
  func isWhole(_ other: FoldedName) -> Bool {
    guard wholeCount == other.wholeCount else { return false }
    for index in 0..<wholeCount where base[index] != other.base[index] { return false }
    return true
  }

  func hasSuffix(_ suffix: [UInt8]) -> Bool {
    count >= suffix.count && suffix.indices.allSatisfy { base[count - suffix.count + $0] == suffix[$0] }
  }

  /// True if the name starts with `other`.
  @inline(__always)
  func hasPrefix(_ other: FoldedName) -> Bool {
    guard count >= other.count else { return false }
    for index in 0..<other.count where base[index] != other.base[index] { return false }
    return true
  }

  /// True if the name comes before `other` in byte order. A prefix comes before a longer name.
  func isBefore(_ other: FoldedName) -> Bool {
    for index in 0..<min(count, other.count) where base[index] != other.base[index] {
      return base[index] < other.base[index]
    }
    return count < other.count
  }
}
