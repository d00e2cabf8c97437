import FlowDiagnostics
import Testing

struct `Text on a terminal` {
  @Test(arguments: [
    ("plain", "plain"), ("\u{1B}[2J", "␛[2J"), ("a\r\nb", "a␍␊b"), ("\u{7F}\u{9B}2J", "␡\\u{9B}2J"),
    ("\u{202E}x\u{2028}", "\\u{202E}x\\u{2028}"), ("\t", "␉"), ("é 東京 🇯🇵 – „…“", "é 東京 🇯🇵 – „…“"),
  ])
  func `control characters are shown as symbols or escapes`(text: String, shown: String) {
    #expect(TerminalText.visible(text) == shown)
  }

  @Test func `line breaks in terminal text are kept, and colors are kept on request`() {
    let text = "a\tb\n\u{1B}[1;31mred\u{1B}[0m\u{1B}[2J\n"
    #expect(TerminalText.visibleLines(text) == "a\tb\n␛[1;31mred␛[0m␛[2J\n")
    #expect(TerminalText.visibleLines(text, keepsColors: true) == "a\tb\n\u{1B}[1;31mred\u{1B}[0m␛[2J\n")
  }

  @Test(arguments: [
    ("abc", 3), ("東京", 4), ("e\u{301}", 1), ("👩‍🚀", 2), ("🇯🇵", 2), ("❤\u{FE0F}", 2), ("한국", 4),
    ("\u{1B}[31mred\u{1B}[0m", 3), ("", 0), ("ｱ", 1), ("！", 2),
  ])
  func `wide characters occupy two columns, and escape sequences occupy none`(text: String, columns: Int) {
    #expect(TerminalText.columns(of: text) == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("abc", 1, "…"),
    ("abc", 0, ""), ("\u{1B}[31mabcdef", 4, "\u{1B}[31mabc…\u{1B}[0m"),
  ])
  func `text that is too wide for the terminal is cut at the last column`(text: String, columns: Int, fitted: String) {
    #expect(TerminalText.fitted(text, columns: columns) == fitted)
    #expect(TerminalText.columns(of: TerminalText.fitted(text, columns: columns)) <= columns)
  }

  @Test(arguments: [
    ("10 %\r50 %\r100 %", "100 %", "100 %"), ("done\r", "done", "done"),
    ("a\u{1B}[2Kb\u{1B}]0;title\u{7}c", " bc", " bc"),
    ("\u{1B}[32mok\u{1B}[0m", "ok", "\u{1B}[32mok\u{1B}[0m\u{1B}[0m"),
    ("x\u{8}y\u{9B}2J", "y", "y"), ("\u{1B}", "", ""), ("\u{1B}[", "", ""),
    ("\u{1B}[31mred\u{1B}(B\u{1B}[m", "red", "\u{1B}[31mred\u{1B}[m\u{1B}[0m"), ("\u{1B}(", "", ""),
    ("a\u{1B}]8;;https://a.b\u{1B}\\link\u{1B}]8;;\u{1B}\\b", "alinkb", "alinkb"),
    ("a\u{1B}]52;c;aGk=\u{7}b\u{1B}P1$r\u{1B}\\c\u{9D}0;t\u{9C}d", "abcd", "abcd"),
    ("\u{1B}]0;title\u{1B}[1mx", "x", "\u{1B}[1mx\u{1B}[0m"), ("\u{1B}[1\u{18}m", "m", "m"), ("\u{1B}[é", "[é", "[é"),
    ("s\u{8}se\u{8}ed\u{8}d", "sed", "sed"), ("abc\u{8}\u{8}\u{8}x", "xbc", "xbc"), ("\u{8}a", "a", "a"),
    ("10 %\u{1B}[4D50", "50 %", "50 %"), ("abc\u{1B}[1G\u{1B}[Kd", "d", "d"), ("abc\u{1B}[2Kd", "   d", "   d"),
    ("a\u{1B}[2Cb", "a  b", "a  b"), ("ab\u{1B}[31m\r", "ab", "ab\u{1B}[31m\u{1B}[0m"),
    ("a\r\nb", "a␊b", "a␊b"),
    ("a\0b", "a␀b", "a␀b"), ("\u{1B}]0;never ends", "", ""), ("a\tb", "a\tb", "a\tb"),
  ])
  func `a command's escape sequences are removed or applied`(line: String, plain: String, colored: String) {
    #expect(TerminalText.commandLine(line, keepsColors: false) == plain)
    #expect(TerminalText.commandLine(line, keepsColors: true) == colored)
  }

  @Test(arguments: [
    ("a\r\nb\r\n", "a\nb\n"), ("one\u{1B}]0;\ntwo", "one\ntwo"),
    ("\u{1B}[31mred\u{1B}[m\n10 %\r20 %\nabc", "red\n20 %\nabc"),
    ("a\u{8}\u{8}\nb\u{1B}[9Dc", "a\nc"),
  ])
  func `control sequences are interpreted separately in each line`(text: String, plain: String) {
    #expect(TerminalText.commandText(text) == plain)
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abc", 2, "ab"), ("aé", 2, "a"), ("a\u{1B}[31mb", 4, "a"), ("a\u{1B}[31mb", 6, "a\u{1B}[31m"),
    ("", 0, ""),
  ])
  func `text is cut only after a complete character and a complete escape sequence`(
    text: String, count: Int, beginning: String
  ) {
    #expect(TerminalText.prefix(of: text, bytes: count) == beginning)
  }

  @Test(arguments: [
    ("\u{1B}[31mred\u{1B}[0m\r\n", "red\r\n"), ("x\u{8}y\u{1B}(B", "x\u{8}y"), ("é", "é"), ("a\u{9B}1mb", "ab"),
  ])
  func `control characters are kept when escape sequences are removed`(text: String, plain: String) {
    #expect(TerminalText.withoutSequences(text) == plain)
  }
}
