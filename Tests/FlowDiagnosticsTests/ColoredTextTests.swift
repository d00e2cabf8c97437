import FlowDiagnostics
import Testing

@Suite struct `Text with colors` {
  private func shown(_ text: String) -> [String] {
    ColoredText.pieces(of: text).map { piece in
      "\(piece.look.color.map(String.init) ?? "-")\(piece.look.isBold ? "b" : ""):\(piece.text)"
    }
  }

  @Test func `keeps line breaks, tabs and colors, and shows other control characters as pictures`() {
    #expect(shown("one\n\ttwo") == ["-:one\n\ttwo"])
    #expect(shown("a\r\nb\rc") == ["-:a\nb␍c"])
    #expect(shown("\u{1B}[31mred\u{1B}[0m plain") == ["1:red", "-: plain"])
    #expect(shown("\u{1B}[1;92mok\u{1B}[22m thin\u{1B}[39m") == ["2b:ok", "2: thin"])
    #expect(shown("\u{1B}[38;5;4mblue\u{1B}[38;2;1;2;3mown") == ["4:blue", "4:own"])
    #expect(shown("a\u{7}b") == ["-:a␇b"])
  }

  @Test func `ignores sequences that do more than set colors`() {
    #expect(
      ColoredText.plain("\u{1B}[2Ktext").contains("text") && !ColoredText.plain("\u{1B}[2Ktext").contains("\u{1B}"))
  }
}
