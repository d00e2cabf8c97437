import FlowModel
import Testing

struct `Printed lines` {
  private static let texts = ["", "one", "", "zwölf", "\u{301}x"]
  private let lines = PrintedLines(texts)

  @Test func `printed lines keep the strings that they were created from`() {
    #expect(lines.strings == Self.texts && lines.count == 5 && lines.longest == 6)
    #expect(lines.last == "\u{301}x" && PrintedLines().last == nil && PrintedLines([""]).last == "")
    #expect(PrintedLines(decoding: Array(lines.text.utf8), longest: 6) == lines)
  }

  @Test func `invalid UTF-8 is repaired separately in each printed line`() {
    let bytes: [UInt8] = [0x61, 0xC3, 0x0A, 0xA4, 0xF0, 0x9F, 0x0A]
    let repaired = PrintedLines(decoding: bytes, longest: 3)
    #expect(repaired.strings == ["a\u{FFFD}", "\u{FFFD}\u{FFFD}"] && repaired.longest >= 6)
    #expect(repaired.strings == bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
  }

  @Test func `printed lines are split after the line that reaches the given size`() {
    for size in 0...20 {
      let extent = lines.extent(reaching: size)
      let (first, rest) = lines.split(after: extent)
      #expect(first.strings + rest.strings == Self.texts)
      #expect(first.count == extent.count && first.byteCount == extent.bytes)
      #expect(extent.bytes >= min(size, lines.byteCount))
      #expect(extent.count == 0 || first.byteCount - (first.last?.utf8.count ?? 0) - 1 < size)
    }
  }

  @Test func `a prefix is added to each printed line, and a suffix consists of the last lines`() {
    #expect(lines.prefixed(by: "a: ").strings == Self.texts.map { "a: " + $0 })
    for count in 1...6 { #expect(lines.suffix(count) == Self.texts.suffix(count).joined(separator: "\n")) }
    #expect(PrintedLines().suffix(3) == "" && PrintedLines().prefixed(by: "a").isEmpty)
  }
}
