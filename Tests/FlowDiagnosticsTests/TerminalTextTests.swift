import FlowDiagnostics
import Testing

@Suite struct `Text on a terminal` {
  @Test(arguments: [
    ("plain", "plain"), ("\u{1B}[2J", "␛[2J"), ("a\r\nb", "a␍␊b"), ("\u{7F}\u{9B}2J", "␡\\u{9B}2J"),
    ("\u{202E}x\u{2028}", "\\u{202E}x\\u{2028}"), ("\t", "␉"), ("é 東京 🇯🇵 – „…“", "é 東京 🇯🇵 – „…“"),
  ])
  func `control characters are shown and do nothing`(text: String, shown: String) {
    #expect(TerminalText.visible(text) == shown)
  }

  @Test func `lines stay lines, and colors stay where they are wanted`() {
    let text = "a\tb\n\u{1B}[1;31mred\u{1B}[0m\u{1B}[2J\n"
    #expect(TerminalText.visibleLines(text) == "a\tb\n␛[1;31mred␛[0m␛[2J\n")
    #expect(TerminalText.visibleLines(text, keepsColors: true) == "a\tb\n\u{1B}[1;31mred\u{1B}[0m␛[2J\n")
  }

  @Test(arguments: [
    ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("👩‍🚀", 2), ("🇯🇵", 2), ("❤\u{FE0F}", 2), ("한국", 4),
    ("\u{1B}[31mred\u{1B}[0m", 3), ("", 0), ("ｱ", 1), ("！", 2),
  ])
  func `columns are counted as terminals do`(text: String, columns: Int) {
    #expect(TerminalText.columns(of: text) == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("abc", 1, "…"),
    ("abc", 0, ""), ("\u{1B}[31mabcdef", 4, "\u{1B}[31mabc…\u{1B}[0m"),
  ])
  func `a text is cut where the columns end`(text: String, columns: Int, fitted: String) {
    #expect(TerminalText.fitted(text, columns: columns) == fitted)
    #expect(TerminalText.columns(of: TerminalText.fitted(text, columns: columns)) <= columns)
  }

  @Test(arguments: [
    ("10 %\r50 %\r100 %", "100 %", "100 %"), ("done\r", "done", "done"),
    ("a\u{1B}[2Kb\u{1B}]0;title\u{7}c", "abc", "abc"),
    ("\u{1B}[32mok\u{1B}[0m", "ok", "\u{1B}[32mok\u{1B}[0m\u{1B}[0m"),
    ("x\u{8}y\u{9B}2J", "x␈y\\u{9B}2J", "x␈y\\u{9B}2J"),
    ("\u{1B}", "", ""), ("\u{1B}[", "[", "["), ("\u{1B}]0;never ends", "", ""), ("a\tb", "a\tb", "a\tb"),
  ])
  func `a command's line keeps its colors on a terminal and nothing else`(line: String, plain: String, colored: String)
  {
    #expect(TerminalText.commandLine(line, keepsColors: false) == plain)
    #expect(TerminalText.commandLine(line, keepsColors: true) == colored)
  }
}
