import FlowBytes

/// Writes the parts of a compiled file, one after the other. Each string is stored once, and other parts refer to it by
/// a number.
package struct CompiledWriter {
  private var body: [UInt8] = []
  private var texts: [String] = []
  private var numbers: [String: Int] = [:]

  package init() {}

  @inline(never)
  package mutating func write(byte: UInt8) { body.append(byte) }

  @inline(never)
  mutating func write(_ number: UInt64) { LEB128.write(number) { body.append($0) } }

  @inline(never)
  package mutating func write(count: Int) { write(UInt64(count)) }

  @inline(never)
  package mutating func write(signed number: Int) { write(LEB128.zigzag(Int64(number))) }

  /// Writes a 64-bit number in little-endian order.
  @inline(never)
  mutating func write(fixed bits: UInt64) { body.append(contentsOf: Self.fixed(bits)) }

  @inline(never)
  package mutating func write(text: String) {
    if let number = numbers[text] { return write(count: number) }
    numbers[text] = texts.count
    write(count: texts.count)
    texts.append(text)
  }

  /// Returns the complete file: the magic number, the version, the checksum, the strings and everything that has been
  /// written.
  package func finished(
    mark: [UInt8] = CompiledFormat.mark, version: UInt64 = CompiledFormat.version
  ) -> [UInt8] {
    var content: [UInt8] = []
    LEB128.write(UInt64(texts.count)) { content.append($0) }
    for text in texts {
      LEB128.write(UInt64(text.utf8.count)) { content.append($0) }
      content.append(contentsOf: text.utf8)
    }
    content += body
    var file = mark
    LEB128.write(version) { file.append($0) }
    return file + Self.fixed(CompiledFormat.checksum(content, from: 0)) + content
  }

  private static func fixed(_ bits: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
  }
}
