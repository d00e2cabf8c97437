import FlowDiagnostics
import Testing

struct `Text with colors` {
  private func shown(_ text: String) -> [String] {
    ColoredText.pieces(of: text).map { piece in
      "\(piece.look.color.map(String.init) ?? "-")\(piece.look.isBold ? "b" : ""):\(piece.text)"
    }
  }

  @Test func `colored text keeps line breaks, tabs and colors, and applies other control characters`() {
    #expect(shown("one\n\ttwo") == ["-:one\n\ttwo"])
    #expect(shown("a\r\nb\rc") == ["-:a\nc"])
    #expect(shown("\u{1B}[31mred\u{1B}[0m plain") == ["1:red", "-: plain"])
    #expect(shown("\u{1B}[1;92mok\u{1B}[22m thin\u{1B}[39m") == ["2b:ok", "2: thin"])
    #expect(shown("\u{1B}[38;5;4mblue\u{1B}[38;2;1;2;3mown") == ["4:blue", "4:own"])
    #expect(shown("a\u{7}b") == ["-:a␇b"])
    #expect(
      shown("last line\u{8}\u{8}NE\n\u{1B}]0;title\u{7}x\r\u{1B}]8;;http://e.x\u{1B}\\link") == ["-:last liNE\nlink"])
    #expect(shown("a\u{202E}b") == ["-:a\\u{202E}b"])
  }

  @Test func `colored text omits escape sequences that do more than set colors`() {
    #expect(
      ColoredText.plain("\u{1B}[2Ktext").contains("text") && !ColoredText.plain("\u{1B}[2Ktext").contains("\u{1B}"))
  }
}
