import FlowKitYAML
import Testing

struct TextTests {
  private static var sources: [String] {
    Repository.files(below: "Sources", ending: ".swift")
      + Repository.files(below: "plugins", ending: ".swift").filter { $0.contains("/Sources/") }
  }

  @Test func `no static mutex has an initial state that the optimizer could drop`() throws {
    for file in Self.sources {
      let text = try Repository.text(file)
      #expect(
        text.firstMatch(of: /static let \w+ = Mutex\([A-Z]/) == nil, "\(file): make it a SharedMutex")
    }
  }

  /// Without optimization, Swift 6.3 reads parts of a large yielded value after the accessor has ended and its memory
  /// has been freed.
  @Test func `no property has a _read accessor`() throws {
    for file in Self.sources {
      let text = try Repository.text(file)
      #expect(text.firstMatch(of: /(?m)^ *(_read|read) +\{/) == nil, "\(file): return the value with 'get'")
    }
  }

  // MARK: Pages

  @Test func `ARCHITECTURE.md names every target in Sources, and its tables name no others`() throws {
    let page = try Repository.text("ARCHITECTURE.md")
    let targets = Set(Repository.files(below: "Sources", ending: ".swift").map { String($0.split(separator: "/")[1]) })
    for target in targets { #expect(page.contains("`\(target)`"), "ARCHITECTURE.md does not name \(target)") }
    for row in page.split(separator: "\n") where row.hasPrefix("| `") {
      for name in Self.spans(row.split(separator: "|")[0]) where !name.contains("/") {
        let hasFiles =
          !Repository.files(below: "Sources/\(name)", ending: ".swift").isEmpty
          || !Repository.files(below: "Sources/\(name)", ending: ".c").isEmpty
        #expect(hasFiles, "ARCHITECTURE.md names \(name), which is not a target")
      }
    }
  }

  @Test func `every type and member named in the architecture document and the decisions exists`() throws {
    let pages = ["ARCHITECTURE.md"] + Repository.files(below: "docs/decisions", ending: ".md")
    let text = try (Self.sources + Repository.files(below: "Tests", ending: ".swift")).map(Repository.text).joined()
    var words: Set<String> = []
    var declared: Set<Substring> = []
    var before: Substring = ""
    for word in text.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "_") }) {
      words.insert(String(word))
      if Self.declarations.contains(before) { declared.insert(word) }
      before = word
    }
    words.formUnion(Self.sources.map { String($0.split(separator: "/").last!.dropLast(6)) })
    // This is a type of Foundation.
    words.insert("NotificationCenter")
    for page in pages {
      let spans = try Self.spans(Repository.text(page)[...])
      for span in spans where span.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "." }) {
        let parts = span.split(separator: ".").map(String.init)
        // File names and similar texts with a dot are not members.
        guard let last = parts.last, !["md", "yaml", "swift", "app"].contains(last) else { continue }
        for word in parts where word.first?.isUppercase == true || parts.count > 1 {
          let exists = words.contains(word)
          #expect(exists, "\(page) names \(span), which does not exist")
        }
        guard parts.count == 2, parts[0].first?.isUppercase == true, last.first?.isLowercase == true else { continue }
        // The failure must not print all declared names.
        let isDeclared = declared.contains(last[...])
        #expect(isDeclared, "\(page) names \(span), which is declared nowhere")
      }
    }
  }

  private static let declarations: Set<Substring> = ["func", "var", "let", "case"]

  @Test func `the limits in the reference equal those in the code`() throws {
    let page = try Repository.text("docs/reference.md")
    let rows = try #require(page.split(separator: "## Limits").last).split(separator: "\n").filter {
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
    #expect(row("attempts of a step").contains("\(Limits.attempts)"))
    #expect(row("threads occupied").contains("\(Limits.threads)"))
    #expect(row("name of a workflow").contains("\(Limits.workflowNameBytes) bytes"))
    #expect(row("problems reported").contains(Self.grouped(Limits.diagnostics)))
    #expect(row("different `resources`").contains(Self.grouped(Limits.requests)))
    #expect(row("files matched").contains(Self.grouped(Limits.watchedFiles)))
    #expect(row("file that travels").contains("\(Self.grouped(Limits.transferredFileBytes >> 20)) MiB"))
    let secrets = row("secrets of a workflow")
    #expect(secrets.contains("\(Limits.secrets), each with at most \(Limits.secretBytes >> 10) KiB"))
    #expect(secrets.contains("\(Self.grouped(Limits.secretLines)) lines"))
  }

  @Test func `every plugin's page has a heading and an example step`() throws {
    for file in Repository.files(below: "plugins", ending: "README.md") where file.split(separator: "/").count == 3 {
      let text = try Repository.text(file)
      #expect(text.hasPrefix("# "), "\(file)")
      #expect(text.contains("```yaml") || text.contains("uses:"), "\(file) shows no example step")
    }
  }

  @Test func `make lint checks every folder that contains sources`() throws {
    let makefile = try Repository.text("Makefile").split(separator: "\n", omittingEmptySubsequences: false)
    let rule = try #require(makefile.firstIndex { $0.hasPrefix("lint:") })
    #expect(makefile[rule - 1] == "## Checks the format of all Swift sources.")
    #expect(makefile[rule + 1].contains("swift format lint --strict"))
    let folders = ["Sources", "Tests", "plugins", "Benchmarks", "Fuzzing"]
    for folder in folders { #expect(makefile[rule + 1].contains(" \(folder)")) }
  }

  // MARK: Words

  /// Spellings and words that must not be used in the repository.
  private static let unwanted = [
    "colour", "behaviour", "catalogue", "neighbour", "normalis", "synchronis", "optimis", "recognis", "serialis",
    "initialis", "favour", "honour", "grey", "brought along", "bring along",
  ]

  @Test func `sources and pages do not contain unwanted spellings`() throws {
    let pages =
      ["README.md", "README.zh-Hans.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
      + Repository.files(below: "docs", ending: ".md") + Repository.files(below: "plugins", ending: ".md")
    for file in Self.sources + pages {
      let text = try Repository.text(file).lowercased()
      for word in Self.unwanted { #expect(!text.contains(word), "\(file) says '\(word)'") }
    }
  }

  /// Names that misled readers or that only their author understood.
  private static let unwantedNames = [
    "goOn", "goesOn", "keepsGoing", "isHeard", "isOutrun", "areProgramsThere", "notesBy", "aloneUntil", "isOneTooMany",
    "isMidway", "sparing", "spared", "untoldOutputs", "untoldLines",
  ]

  @Test func `sources do not contain unwanted names`() throws {
    let names = Set(Self.unwantedNames)
    for file in Self.sources where file.hasSuffix(".swift") && !file.hasPrefix("Tests/TidyTests/") {
      // Lines with a comment are skipped, because comments contain prose.
      for line in try Repository.text(file).split(separator: "\n") where !line.contains("//") {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        #expect(names.isDisjoint(with: words), "\(file): \(line)")
      }
    }
  }

  // MARK: Promises

  @Test func `every unsafe promise has a proof of safety above it`() throws {
    var promises = 0
    for file in Self.sources {
      let found = Promises(in: try Repository.text(file))
      promises += found.count
      for line in found.unproven {
        Issue.record("\(file):\(line) has no 'Proof of safety:' with its invariant above it")
      }
    }
    #expect(promises > 30)
  }

  @Test(arguments: [
    ("final class A: @unchecked Sendable {}", false), ("/// It is fast.\nfinal class A: @unchecked Sendable {}", false),
    ("// Proof of safety: this is safe.\nfinal class A: @unchecked Sendable {}", false),
    ("// Proof of safety: `a` is only read after `init`.\n\nfinal class A: @unchecked Sendable {}", false),
    ("// Proof of safety: `a` is only read after `init`.\nlet b = 1\nlet c = x as! A", false),
    ("// Proof of safety: `a` is only read after `init`.\n@frozen\nfinal class A: @unchecked Sendable {}", true),
    (
      "/// An A.\n///\n/// Proof of safety: the pointer is freed in `deinit`,\n/// and never moves.\nnonisolated(unsafe) let a: P",
      true
    ),
    (
      "// Proof of safety: each is retained until `deinit` releases it.\nvar a: Unmanaged<A>?\nvar b: Unmanaged<B>?",
      true
    ),
  ])
  func `only a comment with an invariant counts as a proof`(_ text: String, _ isProven: Bool) {
    #expect(Promises(in: text).unproven.isEmpty == isProven, "\(text)")
  }

  /// The lines of a file that promise safety to the compiler, and those among them without a proof.
  ///
  /// A proof is part of the comment directly above the promise. It begins with `Proof of safety:` and contains an
  /// invariant with a name from the code. Attributes, and other promises with the same proof, may be between the
  /// comment and the promise.
  private struct Promises {
    private static let kinds = [
      "@unchecked Sendable", "nonisolated(unsafe)", "unowned(unsafe)", "Unmanaged", "unsafeBitCast", "unsafeDowncast",
      " as! ",
    ]

    private(set) var count = 0
    /// The numbers of the lines without a proof, from 1.
    private(set) var unproven: [Int] = []

    init(in text: String) {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingPrefix { $0 == " " } }
      func isPromise(_ line: Substring) -> Bool { !line.hasPrefix("//") && Self.kinds.contains { line.contains($0) } }
      for (number, line) in lines.enumerated() where isPromise(line) {
        count += 1
        let above = lines[..<number].reversed().drop { $0.hasPrefix("@") || isPromise($0) }
        let comment = above.prefix { $0.hasPrefix("//") }.reversed().map { $0.drop { $0 == "/" || $0 == " " } }
        if !Self.isProof(comment.joined(separator: " ")) { unproven.append(number + 1) }
      }
    }

    /// True if the comment contains an invariant: at least five words after the heading, including a name in backticks.
    private static func isProof(_ comment: String) -> Bool {
      guard let heading = comment.firstRange(of: "Proof of safety: ") else { return false }
      let proof = comment[heading.upperBound...]
      return proof.split(separator: " ").count >= 5 && proof.contains { $0 == "`" }
    }
  }

  // MARK: Reading

  /// Returns all texts between single backticks.
  private static func spans(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }.map {
      String($0.element)
    }
  }

  /// Returns the number with separators, for example `1,000,000`.
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
