/// A folded name in temporary memory, so that comparing names does not allocate.
struct FoldedName {
  /// The maximum number of bytes: more than three for each byte of the longest query, and more than any name in the
  /// tables has. Longer names are truncated and then equal no other name.
  static let capacity = 1024

  /// The bytes. Those at `count` and later are undefined.
  private let base: UnsafeMutablePointer<UInt8>
  /// The number of bytes.
  var count = 0
  /// The number of bytes including the ending of a Chinese division, which is not part of the folded name.
  var wholeCount = 0

  /// Calls `body` with memory for two names.
  static func withTwo<Result>(_ body: (inout FoldedName, inout FoldedName) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * capacity) { memory in
      var first = FoldedName(base: memory.baseAddress!)
      var second = FoldedName(base: memory.baseAddress! + capacity)
      return body(&first, &second)
    }
  }

  private init(base: UnsafeMutablePointer<UInt8>) { self.base = base }

  var isEmpty: Bool { count == 0 }

  /// Returns a byte. Traps outside the name.
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

  /// True if the names are equal including the endings of Chinese divisions.
  func isWhole(_ other: FoldedName) -> Bool {
    guard wholeCount == other.wholeCount else { return false }
    for index in 0..<wholeCount where base[index] != other.base[index] { return false }
    return true
  }

  func hasSuffix(_ suffix: [UInt8]) -> Bool {
    count >= suffix.count && suffix.indices.allSatisfy { base[count - suffix.count + $0] == suffix[$0] }
  }

  /// True if the name starts with another name.
  @inline(__always)
  func hasPrefix(_ other: FoldedName) -> Bool {
    guard count >= other.count else { return false }
    for index in 0..<other.count where base[index] != other.base[index] { return false }
    return true
  }

  /// Compares byte by byte. A prefix comes before a longer name.
  func isBefore(_ other: FoldedName) -> Bool {
    for index in 0..<min(count, other.count) where base[index] != other.base[index] {
      return base[index] < other.base[index]
    }
    return count < other.count
  }
}
