import FlowBytes

/// Serializes numbers, strings and bytes. Numbers are encoded in as few bytes as possible (LEB128). Strings and bytes
/// are preceded by their length.
package struct ByteWriter: Sendable {
  /// The bytes written so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Reserves space for this many more bytes.
  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  @inline(__always)
  package mutating func add(byte: UInt8) { bytes.append(byte) }

  @inline(__always)
  package mutating func add(_ number: UInt64) {
    LEB128.write(number) { bytes.append($0) }
  }

  /// Adds a signed number; numbers near zero are short.
  @inline(__always)
  package mutating func add(signed number: Int) {
    add(LEB128.zigzag(Int64(number)))
  }

  /// Adds the number of bytes, followed by the bytes.
  package mutating func add(_ more: [UInt8]) {
    add(UInt64(more.count))
    bytes += more
  }

  /// Adds the number of bytes of a string in UTF-8, followed by these bytes.
  package mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Adds bytes without their count.
  package mutating func add(raw more: some Sequence<UInt8>) { bytes += more }
}

/// Writes the same encoding as ``ByteWriter`` into existing memory. It is faster for many numbers, because no array has
/// to grow.
package struct ByteCursor {
  private let memory: UnsafeMutableRawBufferPointer
  private var count = 0

  /// Creates a cursor that writes into `memory` from its start.
  package init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  /// The bytes written so far, valid as long as the memory.
  package var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Adds a byte. Proof of safety: each byte is written through the buffer's subscript after a check of its bounds.
  @inline(__always)
  package mutating func add(byte: UInt8) {
    precondition(count < memory.count)
    memory[count] = byte
    count += 1
  }

  /// Adds a signed number; numbers near zero are short.
  @inline(__always)
  package mutating func add(signed number: Int) {
    LEB128.write(LEB128.zigzag(Int64(number))) { add(byte: $0) }
  }
}

/// Reads the format of ``ByteWriter``. Throws an error if the data is invalid, and never reads beyond its end.
package struct ByteReader: Sendable {
  private let bytes: [UInt8]
  /// The number of bytes read so far.
  package private(set) var position: Int

  /// An error for bytes that were not written by a ``ByteWriter``.
  package struct ByteProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The offset in bytes.
    package var position: Int
    /// A description of the expected data.
    package var expected: String
    /// The offset and the expected data.
    package var description: String { "byte \(position): expected \(expected)" }
  }

  /// Creates a reader that starts at `position`.
  package init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// True if all bytes have been read.
  package var isAtEnd: Bool { position >= bytes.count }

  /// Returns an error at the current position.
  package func problem(_ expected: String) -> ByteProblem { ByteProblem(position: position, expected: expected) }

  package mutating func byte() throws(ByteProblem) -> UInt8 {
    guard position < bytes.count else { throw problem("a byte") }
    defer { position += 1 }
    return bytes[position]
  }

  package mutating func number() throws(ByteProblem) -> UInt64 {
    do { return try LEB128.read(bytes, at: &position) } catch { throw problem("a number") }
  }

  package mutating func signed() throws(ByteProblem) -> Int {
    Int(truncatingIfNeeded: LEB128.signed(try number()))
  }

  /// Reads the number of elements that follow, each of which takes at least one byte. A larger number is an error, so
  /// damaged data cannot cause a huge allocation.
  package mutating func count() throws(ByteProblem) -> Int {
    let start = position
    let number = try number()
    guard number <= UInt64(bytes.count - position) else {
      throw ByteProblem(position: start, expected: "a smaller count")
    }
    return Int(number)
  }

  /// Reads a number of bytes, followed by the bytes.
  package mutating func block() throws(ByteProblem) -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<position + count]
  }

  package mutating func text() throws(ByteProblem) -> String { String(decoding: try block(), as: UTF8.self) }
}
