/// A folded name in memory that is lent for the time of a search, so that comparing names allocates nothing.
struct FoldedName {
  /// Bytes that a folded name may have: three for each of the longest query, and more than any name of the tables. What is
  /// longer is cut, and then equals nothing.
  static let capacity = 1024

  /// The bytes; those from `count` on mean nothing.
  private let base: UnsafeMutablePointer<UInt8>
  /// The number of bytes that it has.
  var count = 0
  /// How many it had before the ending of a Chinese division was dropped.
  var wholeCount = 0

  /// Runs `body` with memory for two names: a key and one that it is compared with.
  static func withTwo<Result>(_ body: (inout FoldedName, inout FoldedName) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * capacity) { memory in
      var first = FoldedName(base: memory.baseAddress!)
      var second = FoldedName(base: memory.baseAddress! + capacity)
      return body(&first, &second)
    }
  }

  private init(base: UnsafeMutablePointer<UInt8>) { self.base = base }

  /// Whether nothing is left.
  var isEmpty: Bool { count == 0 }

  /// One byte; traps outside the name.
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

  /// Whether the names differ, the endings of Chinese divisions included.
  func isWhole(_ other: FoldedName) -> Bool {
    guard wholeCount == other.wholeCount else { return false }
    for index in 0..<wholeCount where base[index] != other.base[index] { return false }
    return true
  }

  func hasSuffix(_ suffix: [UInt8]) -> Bool {
    count >= suffix.count && suffix.indices.allSatisfy { base[count - suffix.count + $0] == suffix[$0] }
  }

  /// Whether it begins with another.
  @inline(__always)
  func hasPrefix(_ other: FoldedName) -> Bool {
    guard count >= other.count else { return false }
    for index in 0..<other.count where base[index] != other.base[index] { return false }
    return true
  }

  /// Byte by byte, the shorter first.
  func isBefore(_ other: FoldedName) -> Bool {
    for index in 0..<min(count, other.count) where base[index] != other.base[index] {
      return base[index] < other.base[index]
    }
    return count < other.count
  }
}
