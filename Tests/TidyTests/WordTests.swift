import Testing

/// The words of the house: what people read uses the words of the field.
@Suite struct WordTests {
  /// Words that have an ordinary one, with that word, and the phrase *is no* before a noun.
  private static var refused: Regex<Substring> {
    #/\b(?i:anew|beside|mends?|whoever|nobody|remembered|signs of life)\b|\b(?:is|are) no (?!longer\b)[a-z]/#
  }

  @Test func `no page uses a word that has an ordinary one`() throws {
    let pages =
      ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md"]
      + Repository.files(below: "docs", ending: ".md") + Repository.files(below: "plugins", ending: ".md")
    for page in pages {
      for line in try Repository.text(page).split(separator: "\n") {
        #expect(!Self.isRefused(line), "\(page): \(line)")
      }
    }
  }

  @Test func `no comment and no string uses a word that has an ordinary one`() throws {
    let files =
      Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    for file in files {
      for line in try Repository.text(file).split(separator: "\n") where Self.isRefused(Self.prose(line)) {
        Issue.record("\(file): \(line)")
      }
    }
  }

  @Test func `the name of a type says of what it is an entry or a problem`() throws {
    let files =
      Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
    #expect(files.count > 1000)
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
    for file in files {
      for line in try Repository.text(file).utf8.split(separator: UInt8(ascii: "\n")) {
        // A declaration ends with a brace; the other lines need no look.
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
  func `finds such words in comments and strings alone`(_ line: String, _ isFound: Bool) {
    #expect(Self.isRefused(Self.prose(line[...])) == isFound)
  }

  private static func isRefused(_ line: some StringProtocol) -> Bool {
    String(line).replacing(#/[Tt]here (?:is|are) no /#, with: "").firstMatch(of: refused) != nil
  }

  /// The comment and the strings of a line, or the whole line where it has no code.
  private static func prose(_ line: Substring) -> String {
    let text = line.trimmingPrefix { $0 == " " }
    if text.hasPrefix("//") { return String(text) }
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
    let strings = parts.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    let comment = text.firstRange(of: "// ").map { String(text[$0.lowerBound...]) } ?? ""
    return strings.joined(separator: " ") + " " + comment
  }
}
