import FlowKit
import Testing

/// What must not be in the repository, and what must be.
struct TextTests {
  private static var sources: [String] {
    Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
  }

  // MARK: Pages

  @Test func `every target of the core stands in the table of modules, and every module of the table is there`() throws
  {
    let page = try Repository.text("ARCHITECTURE.md")
    let targets = Set(Repository.files(below: "Sources", ending: ".swift").map { String($0.split(separator: "/")[1]) })
    for target in targets { #expect(page.contains("`\(target)`"), "ARCHITECTURE.md does not name \(target)") }
    for row in page.split(separator: "\n") where row.hasPrefix("| `") {
      for name in Self.spans(row.split(separator: "|")[0]) where !name.contains("/") {
        let hasFiles =
          !Repository.files(below: "Sources/\(name)", ending: ".swift").isEmpty
          || !Repository.files(below: "Sources/\(name)", ending: ".c").isEmpty
        #expect(hasFiles, "ARCHITECTURE.md names \(name), which is no target")
      }
    }
  }

  @Test func `every type and every member that the architecture names exists`() throws {
    let page = try Repository.text("ARCHITECTURE.md")
    let text = try (Self.sources + Repository.files(below: "Tests", ending: ".swift")).map(Repository.text).joined()
    var words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
    words.formUnion(Self.sources.map { String($0.split(separator: "/").last!.dropLast(6)) })
    // Foundation's.
    words.insert("NotificationCenter")
    for span in Self.spans(page[...]) where span.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." }) {
      let parts = span.split(separator: ".").map(String.init)
      // Files, and texts with a dot that are no code.
      guard let last = parts.last, !["md", "yaml", "swift", "app"].contains(last) else { continue }
      for word in parts where word.first?.isUppercase == true || parts.count > 1 {
        #expect(words.contains(word), "ARCHITECTURE.md names \(span), which is nowhere")
      }
    }
  }

  @Test func `every limit of the README is the one that holds`() throws {
    let readme = try Repository.text("README.md")
    let rows = try #require(readme.split(separator: "## Limits").last).split(separator: "\n").filter {
      $0.hasPrefix("| ")
    }
    func row(_ beginning: String) -> Substring { rows.first { $0.hasPrefix("| \(beginning)") } ?? "" }
    let file = row("workflow file")
    #expect(file.contains("\(Limits.fileBytes >> 20) MiB"))
    #expect(file.contains("nesting \(Limits.nestingDepth)"))
    #expect(file.contains("\(Limits.directives) `%`"))
    for number in [Limits.steps, Limits.aliasNodes] { #expect(file.contains(Self.grouped(number))) }
    #expect(row("step id").contains("\(Limits.stepIDCharacters) characters"))
    #expect(row("outputs of one step").contains("\(Limits.outputBytes >> 20) MiB"))
    #expect(row("log line").contains("\(Limits.logLineBytes >> 10) KiB"))
    #expect(row("events posted").contains(Self.grouped(Limits.events)))
    #expect(row("posts that wait").contains("\(Limits.waitingPosts)"))
    #expect(row("tries of a step").contains("\(Limits.attempts)"))
    #expect(row("threads occupied").contains("\(Limits.slots)"))
  }

  @Test func `every plugin has a page that says what it is`() throws {
    for file in Repository.files(below: "plugins", ending: "README.md") where file.split(separator: "/").count == 3 {
      let text = try Repository.text(file)
      #expect(text.hasPrefix("# "), "\(file)")
      #expect(text.contains("```yaml") || text.contains("uses:"), "\(file) shows no example step")
    }
  }

  @Test func `what make lint is said to do is what it does`() throws {
    let makefile = try Repository.text("Makefile").split(separator: "\n", omittingEmptySubsequences: false)
    let rule = try #require(makefile.firstIndex { $0.hasPrefix("lint:") })
    #expect(makefile[rule - 1] == "## Checks the format of all Swift sources.")
    #expect(makefile[rule + 1].contains("swift format lint --strict"))
    let folders = ["Sources", "Tests", "plugins", "Benchmarks", "Fuzzing"]
    for folder in folders { #expect(makefile[rule + 1].contains(" \(folder)")) }
  }

  // MARK: Words

  /// What is spelled otherwise, or has another word with the same meaning, here.
  private static let unwanted = [
    "colour", "behaviour", "catalogue", "neighbour", "normalis", "synchronis", "optimis", "recognis", "serialis",
    "initialis", "favour", "honour", "grey", "brought along", "bring along",
  ]

  @Test func `one spelling and one word for one thing`() throws {
    let pages =
      ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
      + Repository.files(below: "docs", ending: ".md") + Repository.files(below: "plugins", ending: ".md")
    for file in Self.sources + pages {
      let text = try Repository.text(file).lowercased()
      for word in Self.unwanted { #expect(!text.contains(word), "\(file) says '\(word)'") }
    }
  }

  /// Names that said something else than they meant, or that only their author understood.
  private static let unwantedNames = [
    "goOn", "goesOn", "keepsGoing", "isHeard", "isOutrun", "areProgramsThere", "notesBy", "aloneUntil", "isOneTooMany",
    "isMidway", "sparing", "spared", "untoldOutputs", "untoldLines",
  ]

  @Test func `names say what they mean`() throws {
    let names = Set(Self.unwantedNames)
    for file in Self.sources where file.hasSuffix(".swift") && !file.hasPrefix("Tests/TidyTests/") {
      // What stands behind `//` is prose.
      for line in try Repository.text(file).split(separator: "\n") where !line.contains("//") {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        #expect(names.isDisjoint(with: words), "\(file): \(line)")
      }
    }
  }

  // MARK: Promises

  @Test func `no unsafe promise stands without its proof beside it`() throws {
    let promises = ["@unchecked Sendable", "nonisolated(unsafe)", "Unmanaged", "unsafeBitCast", " as! "]
    for file in Self.sources {
      let lines = try Repository.text(file).split(separator: "\n", omittingEmptySubsequences: false).map {
        $0.trimmingPrefix { $0 == " " }
      }
      var last = -1
      for (number, line) in lines.enumerated() where promises.contains(where: { line.contains($0) }) {
        guard !line.hasPrefix("//") else { continue }
        // A proof stands above the statement, or above the promise before it, a few lines away.
        let isProven = lines[max(0, number - 5)..<number].contains { $0.hasPrefix("//") }
        #expect(isProven || last >= 0 && number - last <= 6, "\(file):\(number + 1) has no proof above it")
        if isProven || last >= 0 && number - last <= 6 { last = number }
      }
    }
  }

  // MARK: Reading

  /// The texts between single backticks.
  private static func spans(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
      String($0.element)
    }
  }

  /// `1,000,000`
  private static func grouped(_ number: Int) -> String {
    var digits = String(number)
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return ([digits] + groups).joined(separator: ",")
  }
}
