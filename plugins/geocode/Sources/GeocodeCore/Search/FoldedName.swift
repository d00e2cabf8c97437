/// A folded name in temporary memory, so that comparing names allocates nothing.
struct FoldedName {
  /// The maximum number of bytes: three for each of the longest query, and more than any name in the tables. Longer
  /// names are cut, and then equal no other.
  static let capacity = 1024

  /// The bytes. Those from `count` on are undefined.
  private let base: UnsafeMutablePointer<UInt8>
  /// The number of bytes.
  var count = 0
  /// The number of bytes before the ending of a Chinese division was dropped.
  var wholeCount = 0

  /// Calls `body` with memory for two names to compare.
  static func withTwo<Result>(_ body: (inout FoldedName, inout FoldedName) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2 * capacity) { memory in
      var first = FoldedName(base: memory.baseAddress!)
      var second = FoldedName(base: memory.baseAddress! + capacity)
      return body(&first, &second)
    }
  }

  private init(base: UnsafeMutablePointer<UInt8>) { self.base = base }

  /// True if the name is empty.
  var isEmpty: Bool { count == 0 }

  /// A byte. Traps outside the name.
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

  /// True if it starts with another name.
  @inline(__always)
  func hasPrefix(_ other: FoldedName) -> Bool {
    guard count >= other.count else { return false }
    for index in 0..<other.count where base[index] != other.base[index] { return false }
    return true
  }

  /// Orders byte by byte, the shorter name first.
  func isBefore(_ other: FoldedName) -> Bool {
    for index in 0..<min(count, other.count) where base[index] != other.base[index] {
      return base[index] < other.base[index]
    }
    return count < other.count
  }
}
