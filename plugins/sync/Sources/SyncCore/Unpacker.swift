import FlowBytes

/// Reads bytes written by a `Packer`. Invalid bytes throw a `PackingError` and never trap.
package struct Unpacker: Sendable {
  private let bytes: [UInt8]
  /// The offset of the next value.
  package private(set) var offset = 0

  /// The maximum number of items in a list. It is higher than every limit for writing, so that all saved data can be
  /// read.
  static let largestCount = 1 << 16
  /// The maximum size of a value in bytes. It is higher than every limit for writing, too.
  static let largestData = 1 << 24

  /// Creates a reader that starts at the first byte.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Creates a reader that starts after the format byte of data sealed with `Packer.seal()`. Throws if the format or
  /// the checksum is wrong.
  package init(_ bytes: [UInt8], sealedAs format: UInt8) throws(PackingError) {
    guard let found = bytes.first else { throw .truncated(at: 0, reading: "the format") }
    if found > format { throw .unsupportedFormat(found: found, known: format) }
    if found < format { throw .malformed(at: 0, reading: "the format", "is \(found) and must be \(format)") }
    self.init(try Self.unsealed(bytes))
    offset = 1
  }

  /// Returns the bytes without their checksum. Throws if the checksum does not match.
  package static func unsealed(_ bytes: [UInt8]) throws(PackingError) -> [UInt8] {
    let end = bytes.count - 4
    guard end > 0 else { throw .truncated(at: bytes.count, reading: "the checksum") }
    let checksum = bytes[end...].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    if checksum != Packer.checksum(bytes[..<end]) {
      throw .malformed(at: end, reading: "the checksum", "does not match: the bytes have changed")
    }
    return Array(bytes[..<end])
  }

  /// True if all bytes have been read.
  package var isAtEnd: Bool { offset == bytes.count }

  /// Reads one byte.
  package mutating func byte(_ what: StaticString) throws(PackingError) -> UInt8 {
    guard offset < bytes.count else { throw .truncated(at: offset, reading: "\(what)") }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads an unsigned number in LEB128.
  package mutating func unsigned(_ what: StaticString) throws(PackingError) -> UInt64 {
    do {
      return try LEB128.read(bytes, at: &offset)
    } catch .truncated {
      throw .truncated(at: bytes.count, reading: "\(what)")
    } catch .tooLarge {
      throw .malformed(at: offset, reading: "\(what)", "is too large")
    } catch {
      throw .malformed(at: offset, reading: "\(what)", "is not in its shortest form")
    }
  }

  /// Reads a signed number.
  package mutating func signed(_ what: StaticString) throws(PackingError) -> Int64 {
    LEB128.signed(try unsigned(what))
  }

  /// Reads a number and checks that it is in a range.
  package mutating func number(
    _ what: StaticString, in range: ClosedRange<Int64> = 0...Stamp.latestMilliseconds
  ) throws(PackingError) -> Int64 {
    let start = offset
    let value = try unsigned(what)
    guard value <= UInt64(range.upperBound), Int64(value) >= range.lowerBound else {
      throw .malformed(
        at: start, reading: "\(what)", "is \(value), allowed are \(range.lowerBound) to \(range.upperBound)")
    }
    return Int64(value)
  }

  /// Reads a count and checks that it is at most `limit`.
  package mutating func count(_ what: StaticString, limit: Int) throws(PackingError) -> Int {
    Int(try number(what, in: 0...Int64(limit)))
  }

  /// Reads bytes that have their length in front.
  package mutating func data(_ what: StaticString, limit: Int) throws(PackingError) -> [UInt8] {
    let length = try count(what, limit: limit)
    guard length <= bytes.count - offset else { throw .truncated(at: offset, reading: "\(what)") }
    defer { offset += length }
    return Array(bytes[offset..<offset + length])
  }

  /// Reads a string that has its length in front.
  package mutating func text(_ what: StaticString, limit: Int) throws(PackingError) -> String {
    let start = offset
    let raw = try data(what, limit: limit)
    guard let text = String(validating: raw, as: UTF8.self) else {
      throw .malformed(at: start, reading: "\(what)", "is not valid UTF-8")
    }
    return text
  }
}

/// An error in packed bytes, with its offset.
package enum PackingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes end in the middle of a value.
  case truncated(at: Int, reading: String)
  /// A value is invalid.
  case malformed(at: Int, reading: String, String)
  /// The bytes have a format that only a newer version can read.
  case unsupportedFormat(found: UInt8, known: UInt8)

  /// The problem and its offset, as text.
  package var description: String {
    switch self {
    case .truncated(let offset, let what): "the bytes end at offset \(offset), in the middle of \(what)"
    case .malformed(let offset, let what, let problem): "\(what) at offset \(offset) \(problem)"
    case .unsupportedFormat(let found, let known):
      "the record has format \(found) and this version reads formats up to \(known): update flowrun on this device"
    }
  }
}
