import FlowBytes
import FlowModel

/// Reads the parts of a compiled file in the order in which ``CompiledWriter`` wrote them. Arbitrary input results in a
/// value or an error, and never uses more memory than a fixed multiple of its size.
package struct CompiledReader {
  private let bytes: [UInt8]
  private(set) var offset: Int
  private var texts: [String] = []
  private var depth = 0

  /// Checks the magic number, the version and the checksum, and reads the table of strings.
  package init(
    _ bytes: [UInt8], mark: [UInt8] = CompiledFormat.mark, version expected: UInt64 = CompiledFormat.version
  ) throws(CompiledWorkflowError) {
    self.bytes = bytes
    offset = mark.count
    guard bytes.starts(with: mark) else { throw .notCompiled }
    let version = try number()
    if version > expected { throw .newer(format: version) }
    if version < expected { throw .older(format: version) }
    // This is checked before any work that is proportional to the size.
    guard bytes.count <= Limits.fileBytes else { throw damaged("at most \(Limits.fileBytes >> 20) MiB") }
    let checksum = try fixed()
    guard checksum == CompiledFormat.checksum(bytes, from: offset) else {
      throw damaged("content that fits the checksum")
    }
    let count = try self.count()
    texts.reserveCapacity(count)
    for _ in 0..<count { texts.append(try storedText()) }
  }

  /// Throws if some bytes have not been read.
  package func finish() throws(CompiledWorkflowError) {
    guard offset == bytes.count else { throw damaged("the end of the file") }
  }

  @inline(never)
  package func damaged(_ expected: String) -> CompiledWorkflowError { .damaged(expected: expected, offset: offset) }

  @inline(never)
  mutating func byte() throws(CompiledWorkflowError) -> UInt8 {
    guard offset < bytes.count else { throw damaged("more bytes") }
    defer { offset += 1 }
    return bytes[offset]
  }

  @inline(never)
  mutating func number() throws(CompiledWorkflowError) -> UInt64 {
    do throws(LEB128.NumberProblem) {
      return try LEB128.read(bytes, at: &offset)
    } catch {
      throw damaged("a number")
    }
  }

  /// Reads a number that fits in an `Int`.
  @inline(never)
  package mutating func signed() throws(CompiledWorkflowError) -> Int { Int(LEB128.signed(try number())) }

  /// Reads a number from 0 up to, but not including, `limit`.
  @inline(never)
  package mutating func index(below limit: Int) throws(CompiledWorkflowError) -> Int {
    let start = offset
    let number = try self.number()
    guard number < UInt64(max(0, limit)) else {
      throw .damaged(expected: "a number below \(limit)", offset: start)
    }
    return Int(number)
  }

  /// Reads the number of elements that follow. Each element takes at least one byte, so a number larger than the number
  /// of remaining bytes is an error.
  @inline(never)
  package mutating func count() throws(CompiledWorkflowError) -> Int {
    let start = offset
    let count = try self.number()
    guard count <= UInt64(bytes.count - offset) else {
      throw .damaged(expected: "no more elements than bytes", offset: start)
    }
    return Int(count)
  }

  /// Reads a 64-bit number in little-endian order.
  @inline(never)
  mutating func fixed() throws(CompiledWorkflowError) -> UInt64 {
    guard bytes.count - offset >= 8 else { throw damaged("eight bytes") }
    var bits: UInt64 = 0
    for index in 0..<8 { bits |= UInt64(bytes[offset + index]) << (8 * UInt64(index)) }
    offset += 8
    return bits
  }

  @inline(never)
  package mutating func text() throws(CompiledWorkflowError) -> String { texts[try index(below: texts.count)] }

  /// Reads a value that may contain others of the same kind. Throws if they are nested too deeply.
  mutating func nested<Result>(
    _ read: (inout CompiledReader) throws(CompiledWorkflowError) -> Result
  ) throws(CompiledWorkflowError) -> Result {
    guard depth < Limits.jsonDepth else { throw damaged("at most \(Limits.jsonDepth) levels") }
    depth += 1
    defer { depth -= 1 }
    return try read(&self)
  }

  private mutating func storedText() throws(CompiledWorkflowError) -> String {
    let count = try self.count()
    defer { offset += count }
    let end = offset + count
    let text = String(decoding: bytes[offset..<end], as: UTF8.self)
    var union: UInt8 = 0
    for index in offset..<end { union |= bytes[index] }
    // Decoding replaces invalid UTF-8, so in that case the result differs from the bytes. `String(validating:as:)`
    // would detect it, but it is slower because it is not specialized. ASCII is always valid.
    guard union < 0x80 || text.utf8.elementsEqual(bytes[offset..<end]) else { throw damaged("text in UTF-8") }
    return text
  }
}
