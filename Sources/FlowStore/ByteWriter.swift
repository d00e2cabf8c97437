import FlowBytes

/// Puts numbers and texts behind each other: whole numbers in as many bytes of seven bits as they need, the lowest first,
/// texts and bytes behind their length.
public struct ByteWriter: Sendable {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []

  /// Nothing written yet.
  public init() {}

  /// Makes room for this many bytes more.
  public mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  /// A byte.
  @inline(__always)
  public mutating func add(byte: UInt8) { bytes.append(byte) }

  /// A number from 0 on.
  @inline(__always)
  public mutating func add(_ number: UInt64) {
    LEB128.write(number) { bytes.append($0) }
  }

  /// A number of either sign; one near zero is short.
  @inline(__always)
  public mutating func add(signed number: Int) {
    add(LEB128.zigzag(Int64(number)))
  }

  /// Bytes behind their count.
  public mutating func add(_ more: [UInt8]) {
    add(UInt64(more.count))
    bytes += more
  }

  /// A text as UTF-8 behind its count of bytes.
  public mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  /// Bytes as they are.
  public mutating func add(raw more: some Sequence<UInt8>) { bytes += more }
}

/// Writes the same numbers into memory that is there: for many of them, of which a ``ByteWriter`` would ask at each byte
/// whether there is room.
public struct ByteCursor {
  private let memory: UnsafeMutableRawBufferPointer
  private var count = 0

  /// Writes into `memory` from its start.
  public init(_ memory: UnsafeMutableRawBufferPointer) { self.memory = memory }

  /// What has been written; valid as long as the memory.
  public var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// A byte. Proof of safety: each byte is written through the buffer's subscript behind a check of its bounds.
  @inline(__always)
  public mutating func add(byte: UInt8) {
    precondition(count < memory.count)
    memory[count] = byte
    count += 1
  }

  /// A number of either sign; one near zero is short.
  @inline(__always)
  public mutating func add(signed number: Int) {
    LEB128.write(LEB128.zigzag(Int64(number))) { add(byte: $0) }
  }
}

/// Takes out what a ``ByteWriter`` put in; every read says where it went wrong instead of going past the end.
public struct ByteReader: Sendable {
  private let bytes: [UInt8]
  /// The number of bytes that have been read.
  public private(set) var position: Int

  /// What was read is not what a writer writes.
  public struct ByteProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where, in bytes from the start.
    public var position: Int
    /// What was expected there.
    public var expected: String
    /// Both.
    public var description: String { "byte \(position): expected \(expected)" }
  }

  /// Reads `bytes` from `position` on.
  public init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  /// Whether nothing is left.
  public var isAtEnd: Bool { position >= bytes.count }

  /// A problem at the present position.
  public func problem(_ expected: String) -> ByteProblem { ByteProblem(position: position, expected: expected) }

  /// The next byte.
  public mutating func byte() throws(ByteProblem) -> UInt8 {
    guard position < bytes.count else { throw problem("a byte") }
    defer { position += 1 }
    return bytes[position]
  }

  /// The next number from 0 on.
  public mutating func number() throws(ByteProblem) -> UInt64 {
    do { return try LEB128.read(bytes, at: &position) } catch { throw problem("a number") }
  }

  /// The next number of either sign.
  public mutating func signed() throws(ByteProblem) -> Int {
    Int(truncatingIfNeeded: LEB128.signed(try number()))
  }

  /// The next count of something that takes at least a byte each, so that no damage makes it a huge one.
  public mutating func count() throws(ByteProblem) -> Int {
    let start = position
    let number = try number()
    guard number <= UInt64(bytes.count - position) else {
      throw ByteProblem(position: start, expected: "a smaller count")
    }
    return Int(number)
  }

  /// The next bytes behind their count.
  public mutating func block() throws(ByteProblem) -> ArraySlice<UInt8> {
    let count = try count()
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// The next text.
  public mutating func text() throws(ByteProblem) -> String { String(decoding: try block(), as: UTF8.self) }
}
