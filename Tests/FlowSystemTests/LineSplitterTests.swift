import Testing

@testable import FlowSystem

/// Splits the output of a program, which arrives in arbitrary pieces, into lines.
struct `Splitting output into lines` {
  private func lines(
    of pieces: [String], longest: Int = 1000, overwritten: Int = 0, room: Int = .max
  ) -> (texts: [String], count: Int) {
    var splitter = LineSplitter(longest: longest, overwritten: overwritten)
    var texts: [String] = []
    var count = 0
    for piece in pieces {
      count += Array(piece.utf8).withUnsafeBytes { bytes in
        splitter.append(bytes, room: max(0, room - count)) { line, isWithinRoom in
          if isWithinRoom { texts.append(String(decoding: line, as: UTF8.self)) }
        }
      }
    }
    splitter.finish { texts.append(String(decoding: $0, as: UTF8.self)) }
    if room == .max { #expect(together(pieces, longest, overwritten) == texts, "\(pieces)") }
    return (texts, count)
  }

  /// Returns the lines when the splitter delivers several of them at once.
  private func together(_ pieces: [String], _ longest: Int, _ overwritten: Int) -> [String] {
    var splitter = LineSplitter(longest: longest, overwritten: overwritten)
    var texts: [String] = []
    for piece in pieces {
      Array(piece.utf8).withUnsafeBytes { bytes in
        splitter.append(bytes) { lines in
          switch lines {
          case .line(let line): texts.append(String(decoding: line, as: UTF8.self))
          case .block(let block):
            let lines = block.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
            texts += lines.map { String(decoding: $0, as: UTF8.self) }
          }
        }
      }
    }
    splitter.finish { texts.append(String(decoding: $0, as: UTF8.self)) }
    return texts
  }

  private func unfinished(_ pieces: String...) -> String {
    var splitter = LineSplitter(longest: 10)
    for piece in pieces { _ = Array(piece.utf8).withUnsafeBytes { splitter.append($0) { _, _ in } } }
    return String(decoding: splitter.unfinished, as: UTF8.self)
  }

  @Test func `the lines of an output do not depend on how the output is split into pieces`() {
    let text = "one\n\ntwo\r\nten\r20\r30\r\n\rback\nover\rwritten\n\r\nlast\r"
    let expected = ["one", "", "two", "30", "back", "written", "", "last"]
    let scalars = Array(text.unicodeScalars)
    func piece(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }
    for first in 0...scalars.count {
      for second in first...scalars.count {
        let pieces = [piece(0..<first), piece(first..<second), piece(second..<scalars.count)]
        #expect(lines(of: pieces).texts == expected, "\(pieces)")
      }
    }
    #expect(lines(of: scalars.map { String($0) }).texts == expected)
  }

  @Test func `output lines are cut off at the limit, and contain only the newest state if they were overwritten`() {
    #expect(lines(of: ["1234567890", "abc\n", "12345\n"], longest: 10).texts == ["1234567890", "12345"])
    #expect(lines(of: ["1234567890abc\n"], longest: 10).texts == ["1234567890"])
    #expect(lines(of: Array(repeating: "working\r", count: 10_000) + ["done\n"], longest: 10).texts == ["done"])
    #expect(lines(of: ["1234567890abc", "\r", "new\n"], longest: 10).texts == ["new"])
  }

  @Test func `on request, an output line starts with the last bytes that were overwritten`() {
    let text = "one\r\ntwenty\r30\n12345\r6789012\rab\n"
    let scalars = Array(text.unicodeScalars)
    for first in 0...scalars.count {
      let pieces = [scalars[..<first], scalars[first...]].map { String(String.UnicodeScalarView($0)) }
      let texts = lines(of: pieces, overwritten: 4).texts
      #expect(texts == ["one", "enty\r30", "9012\rab"], "\(pieces)")
    }
    let bar = Array(repeating: "working\r", count: 10_000) + ["done and more\n"]
    #expect(lines(of: bar, longest: 7, overwritten: 3).texts == ["ing\rdone an"])
  }

  @Test func `output lines are counted even if there is no room to keep them`() {
    let many = (0..<5_000).map { "\($0)\n" }.joined()
    let (texts, count) = lines(of: ["a\nb\n", many], room: 3)
    #expect(texts == ["a", "b", "0"] && count == 5_002)
  }

  @Test func `an output line can be read before its line break arrives`() {
    #expect(unfinished("Name? ") == "Name? ")
    #expect(unfinished("10%\r") == "10%")
    #expect(unfinished("10%\r", "20%") == "20%")
    #expect(unfinished("10%", "\r20%\r") == "20%")
    #expect(unfinished("done\n") == "")
    #expect(unfinished("done\nmo", "re") == "more")
    #expect(unfinished("123456789012345") == "1234567890")
  }
}
