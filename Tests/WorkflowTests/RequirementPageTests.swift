import Foundation
import TestSupport
import Testing

/// Checks that `Tests/Requirements/README.md` lists every requirement by its id (N38), and that each command has the
/// output shown on the page. `make test` runs every third command.
@Suite(.timeLimit(.minutes(10))) struct `The requirements page` {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// A row of the page: the id, the command and the expected output.
  private struct Row {
    let id: String
    let command: String
    let sight: String

    /// True if the requirement is shown by a command on the page and not by a test.
    var isShown: Bool { command.hasPrefix("`") && command != "`make test`" }

    /// The texts that the output must contain, each as consecutive pieces, and the texts that it must not contain.
    var texts: (present: [[String]], absent: [String]) {
      var present: [[String]] = []
      var absent: [String] = []
      var follows = false
      var before = ""
      for (place, part) in sight.components(separatedBy: "`").enumerated() {
        if place.isMultiple(of: 2) {
          follows = part == " … "
          before = part
        } else if before.hasSuffix("no ") {
          absent.append(part)
        } else if follows {
          present[present.count - 1].append(part)
        } else {
          present.append([part])
        }
      }
      return (present, absent)
    }
  }

  private let page: String
  private let rows: [Row]

  init() throws {
    page = try String(contentsOfFile: Self.root + "/Tests/Requirements/README.md", encoding: .utf8)
    rows = page.split(separator: "\n").compactMap { line in
      let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "| ")) }
      guard line.hasPrefix("| "), cells.count == 4, cells[0] != "id" else { return nil }
      return Row(id: cells[0], command: cells[2], sight: cells[3])
    }
  }

  @Test func `lists every id once, with a test, a command or a reason`() throws {
    let counts = [("L", 43), ("R", 17), ("P", 9), ("N", 41), ("S", 50), ("C", 22)]
    #expect(rows.map(\.id) == counts.flatMap { letter, count in (1...count).map { "\(letter)\($0)" } })
    var tests = ""
    for folder in ["Tests", "plugins"] {
      let walker = try #require(FileManager.default.enumerator(atPath: Self.root + "/" + folder))
      for case let path as String in walker
      where path.hasSuffix(".swift") && (folder == "Tests" || path.contains("/Tests/")) {
        tests += try String(contentsOfFile: "\(Self.root)/\(folder)/\(path)", encoding: .utf8)
      }
    }
    let named = Set(tests.matches(of: /\b[LRPNSC][0-9]+\b/).map { String($0.output) })
    for row in rows where !row.isShown {
      #expect(named.contains(row.id) || row.command == "–", "\(row.id) stands in no test and no command shows it")
    }
    #expect(rows.filter { $0.command == "–" }.map(\.id) == ["S2", "S29", "S42", "S50"])
  }

  @Test func `shows the actual output of its commands`() async throws {
    let definitions = try #require(page.firstMatch(of: /(?s)```sh\n(.*?)```/)).output.1
    let commands = Set(rows.filter(\.isShown).map { String($0.command.dropFirst().dropLast()) }).sorted()
    #expect(commands.count > 40)
    let tried = commands.enumerated().filter { TestExtent.tries($0.offset, ofParts: 3) }.map(\.element)
    let results = try await Self.run(tried, definitions: String(definitions))
    for row in rows where row.isShown {
      guard let output = results[String(row.command.dropFirst().dropLast())] else { continue }
      let (present, absent) = row.texts
      for pieces in present {
        let pattern = pieces.map { piece in
          piece.components(separatedBy: "…").map(NSRegularExpression.escapedPattern(for:)).joined(separator: "[^\\n]*?")
        }.joined(separator: "[\\s\\S]*?")
        #expect(
          output.range(of: pattern, options: .regularExpression) != nil,
          "\(row.id): '\(row.command)' does not show \(pieces.joined(separator: " … ")), but:\n\(output)")
      }
      for text in absent { #expect(!output.contains(text), "\(row.id): '\(row.command)' shows '\(text)'") }
    }
  }

  /// Runs commands in a shell, at most four at a time, each for at most a minute. Returns the output of each.
  private static func run(_ commands: [String], definitions: String) async throws -> [String: String] {
    try await withThrowingTaskGroup(of: (String, String).self) { group in
      var rest = commands[...]
      var results: [String: String] = [:]
      for command in rest.prefix(4) { group.addTask { (command, try shell(definitions + command)) } }
      rest = rest.dropFirst(4)
      while let (command, output) = try await group.next() {
        results[command] = output
        if let next = rest.popFirst() { group.addTask { (next, try shell(definitions + next)) } }
      }
      return results
    }
  }

  private static func shell(_ script: String) throws -> String {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "requirements-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    let binary = URL(fileURLWithPath: FlowrunProcess.path).deletingLastPathComponent().path
    let environment = ProcessInfo.processInfo.environment.merging([
      "PATH": binary + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"), "LANG": "C",
      "LC_ALL": "", "LANGUAGE": "", "TMPDIR": scratch,
    ]) { $1 }
    return try Shell.run(script, in: root, environment: environment, limitSeconds: 60).output
  }
}
