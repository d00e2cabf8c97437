import FlowBytes

/// Encodes numbers, strings and bytes. Numbers take as few bytes as possible (LEB128). Strings and bytes are preceded
/// by their length.
package struct ByteWriter: Sendable {
  /// The bytes that have been written so far.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Reserves memory for `count` more bytes.
  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  @inline(__always)
  package mutating func add(byte: UInt8) { bytes.append(byte) }

  @inline(__always)
  package mutating func add(_ number: UInt64) {
    LEB128.write(number) { bytes.append($0) }
  }

  /// Adds a signed number. Numbers near zero take few bytes.
  @inline(__always)
  package mutating func add(signed number: Int) {
    add(LEB128.zigzag(Int64(number)))
  }

  /// Adds the number of bytes, followed by the bytes.
  package mutating func add(_ more: [UInt8]) {
    add(UInt64(more.count))
    bytes += more
  }

  /// Adds the number of bytes of a string in UTF-8, followed by those bytes.
  package mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Adds bytes without their count.
  package mutating func add(raw more: some Sequence<UInt8>) { bytes += more }
}

/// Writes the same encoding as ``ByteWriter`` into existing memory. For many numbers this is faster, because no array
/// has to grow.
package struct ByteCursor {
  private let memory: UnsafeMutableRawBufferPointer
  private var count = 0

  /// Creates a cursor that writes into `memory`, beginning at its start.
  package init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  /// The bytes that have been written so far. They are valid as long as the memory.
  package var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Adds a byte. Proof of safety: each byte is written through the buffer's subscript after a check of its bounds.
  @inline(__always)
  package mutating func add(byte: UInt8) {
    precondition(count < memory.count)
    memory[count] = byte
    count += 1
  }

  /// Adds a signed number. Numbers near zero take few bytes.
  @inline(__always)
  package mutating func add(signed number: Int) {
    LEB128.write(LEB128.zigzag(Int64(number))) { add(byte: $0) }
  }
}

/// Reads data in the format of ``ByteWriter``. Throws an error if the data is invalid, and never reads beyond its end.
package struct ByteReader: Sendable {
  private let bytes: [UInt8]
  /// The position of the next byte to read.
  package private(set) var position: Int

  /// The error that is thrown for bytes that were not written by a ``ByteWriter``.
  package struct ByteProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The offset of the invalid data in bytes.
    package var position: Int
    /// A description of the data that was expected, such as `a number`.
    package var expected: String
    /// A message with the offset and the expected data.
    package var description: String { "byte \(position): expected \(expected)" }
  }

  /// Creates a reader that starts at `position`.
  package init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// True if all bytes have been read.
  package var isAtEnd: Bool { position >= bytes.count }

  /// Returns the error for data at the current position that is not what was expected.
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

  /// Reads the number of elements that follow, each of which takes at least one byte. A number that is too large for
  /// that is an error, so that damaged data cannot cause a huge allocation.
  package mutating func count() throws(ByteProblem) -> Int {
    let start = position
    let number = try number()
    guard number <= UInt64(bytes.count - position) else {
      throw ByteProblem(position: start, expected: "a smaller count")
    }
    return Int(number)
  }

  /// Reads the number of bytes that follow, and these bytes.
  package mutating func block() throws(ByteProblem) -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<position + count]
  }

  package mutating func text() throws(ByteProblem) -> String { String(decoding: try block(), as: UTF8.self) }
}
