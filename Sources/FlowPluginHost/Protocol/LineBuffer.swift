import FlowSystem

/// Splits a stream of bytes into lines of limited length.
package struct LineBuffer: Sendable {
  /// The minimum free space that is passed to a read, in bytes.
  static let readBytes = 64 << 10
  /// The maximum length of a line in bytes, without its line break.
  let limit: Int
  private var storage: [UInt8]
  /// The range of the bytes that have been read but not returned as a line.
  private var filled = 0..<0
  /// The position at which the search for the next line break starts.
  private var scanned = 0

  package enum Found {
    /// A line without its line break.
    case line(ArraySlice<UInt8>)
    /// The beginning of a line that exceeds the limit. The stream cannot be read any further.
    case tooLong(beginning: ArraySlice<UInt8>)
    /// The next line has not been read completely.
    case nothing
  }

  package init(limit: Int) {
    self.limit = limit
    storage = Array(repeating: 0, count: Self.readBytes)
  }

  /// Passes the free space to `read`, which fills it and returns the number of bytes that it has read.
  package mutating func fill(_ read: (UnsafeMutableRawBufferPointer) -> Descriptor.Received) -> Descriptor.Received {
    makeRoom()
    let end = filled.upperBound
    let received = storage.withUnsafeMutableBytes { read(UnsafeMutableRawBufferPointer(rebasing: $0[end...])) }
    if case .bytes(let count) = received { filled = filled.lowerBound..<end + count }
    return received
  }

  private mutating func makeRoom() {
    if filled.isEmpty, storage.count <= 4 * Self.readBytes {
      (filled, scanned) = (0..<0, 0)
    } else if storage.count - filled.upperBound < Self.readBytes {
      let rest = storage[filled]
      var moved = Array(repeating: UInt8(0), count: max(Self.readBytes, 2 * rest.count + Self.readBytes))
      moved.replaceSubrange(0..<rest.count, with: rest)
      scanned -= filled.lowerBound
      filled = 0..<rest.count
      storage = moved
    }
  }

  /// Removes and returns the next complete line.
  package mutating func next() -> Found {
    guard let end = nextLineEnd() else {
      scanned = filled.upperBound
      return filled.count > limit ? .tooLong(beginning: storage[filled].prefix(200)) : .nothing
    }
    if end - filled.lowerBound > limit { return .tooLong(beginning: storage[filled].prefix(200)) }
    defer {
      filled = end + 1..<filled.upperBound
      scanned = end + 1
    }
    let hasReturn = end > filled.lowerBound && storage[end - 1] == UInt8(ascii: "\r")
    return .line(storage[filled.lowerBound..<(hasReturn ? end - 1 : end)])
  }

  private func nextLineEnd() -> Int? {
    guard scanned < filled.upperBound else { return nil }
    return storage.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = memchr(base + scanned, CInt(UInt8(ascii: "\n")), filled.upperBound - scanned)
      else { return nil }
      return UnsafeRawPointer(found) - base
    }
  }

  /// The bytes that have been read but not returned as a line.
  var rest: ArraySlice<UInt8> { storage[filled] }
}
