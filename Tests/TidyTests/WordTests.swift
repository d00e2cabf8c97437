import Foundation
import Testing

/// Checks that texts for readers use common technical terms.
struct WordTests {
  /// Words and phrases that must be replaced by more common ones.
  private static var refused: Regex<Substring> {
    #/\b(?i:anew|beside|mends?|whoever|nobody|remembered|signs of life)\b|\b(?:is|are) no (?!longer\b)[a-z]/#
  }

  @Test func `pages do not contain refused words`() throws {
    let pages =
      ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md"]
      + Repository.files(below: "docs", ending: ".md") + Repository.files(below: "plugins", ending: ".md")
    for page in pages {
      for line in Self.suspects(in: try Repository.text(page)) {
        #expect(!Self.isRefused(line), "\(page): \(line)")
      }
    }
  }

  @Test func `comments and strings do not contain refused words`() throws {
    let files =
      Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    for file in files {
      for line in Self.suspects(in: try Repository.text(file)) where Self.isRefused(Self.prose(line)) {
        Issue.record("\(file): \(line)")
      }
    }
  }

  @Test func `no type has the bare name Entry or Problem`() throws {
    let files =
      Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    #expect(files.count > 1000)
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
    for file in files {
      for line in try Repository.text(file).utf8.split(separator: UInt8(ascii: "\n")) {
        // A declaration of a type ends with a brace, so other lines are skipped.
        guard let last = line.last, last == UInt8(ascii: "{") || last == UInt8(ascii: "}") else { continue }
        let words = Substring(line).split { $0 == " " || $0 == ":" || $0 == "<" }
        for (kind, name) in zip(words, words.dropFirst()) where name == "Entry" || name == "Problem" {
          #expect(!kinds.contains(kind), "\(file): \(Substring(line))")
        }
      }
    }
  }

  @Test(arguments: [
    ("/// Begun anew.", true), ("let beside = 1", false), ("print(\"nobody waits\")", true),
    ("// This is no step.", true), ("// It is no longer there.", false), ("// There is no step.", false),
    ("/// A recommended one.", false),
  ])
  func `refused words are found only in comments and strings`(_ line: String, _ isFound: Bool) {
    #expect(Self.isRefused(Self.prose(line[...])) == isFound)
  }

  /// A part of each refused word or phrase. Only lines that contain a part are searched with the regular expression,
  /// which is slow in a debug build.
  private static let hints = [
    "new", "eside", "mend", "Mend", "hoever", "obody", "emembered", "igns of life", "s no ", "re no ",
  ]

  /// Returns the lines that contain at least one of the hints.
  private static func suspects(in text: String) -> [Substring] {
    text.withCString { start in
      var lines: [Int: Substring] = [:]
      for hint in hints {
        var place = start
        while let found = strstr(place, hint) {
          var first = UnsafePointer(found)
          while first > start, first[-1] != 10 { first -= 1 }
          let count = strcspn(first, "\n")
          let line = UnsafeRawBufferPointer(start: first, count: count)
          lines[first - start] = String(decoding: line, as: UTF8.self)[...]
          guard first[count] != 0 else { break }
          place = first + count
        }
      }
      return lines.sorted { $0.key < $1.key }.map(\.value)
    }
  }

  @Test func `every line with a refused word is found, wherever the line is in the text`() {
    let lines = ["// Begun anew.", "let a = 1", "// This is no step.", "// Nobody waits", "// beside it", "// whoever"]
    #expect(Self.suspects(in: lines.joined(separator: "\n")) == lines.filter { $0 != "let a = 1" }.map { $0[...] })
    #expect(Self.suspects(in: "").isEmpty)
  }

  private static func isRefused(_ line: some StringProtocol) -> Bool {
    String(line).replacing(#/[Tt]here (?:is|are) no /#, with: "").firstMatch(of: refused) != nil
  }

  /// Returns the comment and the strings in a line of code. If the whole line is a comment, returns the line.
  private static func prose(_ line: Substring) -> String {
    let text = line.trimmingPrefix { $0 == " " }
    if text.hasPrefix("//") { return String(text) }
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    let strings = parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    let comment = text.firstRange(of: "// ").map { String(text[$0.lowerBound...]) } ?? ""
    return strings.joined(separator: " ") + " " + comment
  }
}
