import FlowCLI
import FlowEngine
import FlowModel
import FlowStore
import Testing

struct `A line of a log on a page` {
  private func lines(_ objects: [ValueObject]) -> [PageLine] {
    let body = objects.map { JSONText.write(.object($0)) + "\n" }.joined()
    return PageLine.all(
      of: RunRecollection.coloredLines(
        in: [RunChunk(.log, wallMilliseconds: 0, runNanoseconds: 0, body: Array(body.utf8)).bytes]))
  }

  @Test func `a logged message is split at line breaks, and keeps its tabs and colors`() {
    let found = lines([
      ["step": "a", "at": 1, "stream": "stdout", "message": "one\ttab\nand \u{1B}[31mred\u{1B}[0m"],
      ["step": "a", "at": 2, "stream": "stderr", "message": "bad\u{7}"],
    ])
    #expect(found.map(\.text) == ["one\ttab", "and red", "bad␇"] && found.map(\.kind) == [.output, .output, .error])
    #expect(found[1].pieces.map(\.look.color) == [nil, 1])
  }

  @Test func `a placeholder states the number of omitted lines unless a command printed it`() {
    let text = "[flowrun: 12 lines, 345 bytes, are not recorded; a larger log-limit keeps more]"
    let found = lines([
      ["step": "a", "at": 1, "level": "info", "message": .string(text)],
      ["step": "a", "at": 2, "stream": "stdout", "message": .string(text)],
      ["step": "a", "at": 1, "message": "[flowrun: 1 line is not recorded; a larger log-limit keeps more]"],
    ])
    #expect(found.map(\.kind) == [.leftOut, .output, .leftOut])
    #expect(found[0].text == "12 lines left out (345 bytes): a larger log-limit keeps more")
    #expect(found[2].text == "1 line left out: a larger log-limit keeps more")
    #expect(found[1].text == text)
  }
}
