import Foundation
import TestSupport
import Testing

/// Compares `docs/command-line.md` with the argument parser, from which it is generated. With `RECORD_SNAPSHOTS=1`, the
/// page is generated again, and the test fails once so that the changes are reviewed.
struct CommandLinePageTests {
  @Test func `the command-line page matches the argument parser`() throws {
    let dump = try FlowrunProcess.run(["--experimental-dump-help"])
    let root = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command
    let page = Self.head + (root.subcommands ?? []).flatMap { $0.sections(path: "flowrun") }.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try page.write(to: Repository.root.appendingPathComponent(Self.path), atomically: true, encoding: .utf8)
      Issue.record("wrote \(Self.path) again; look at it")
    } else {
      #expect(try Repository.text(Self.path) == page, "write it again with RECORD_SNAPSHOTS=1")
    }
  }

  private static let path = "docs/command-line.md"
  private static let head = """
    # Command line

    Every subcommand and option, as `flowrun help SUBCOMMAND` prints them. `flowrun FILE` is short for `flowrun run FILE`, and
    `flowrun STEP` runs a step of `flowrun.yaml`. Exit codes are in [reference.md](reference.md#exit-codes). A test makes this page from the argument parser.


    """

  private struct Dump: Decodable {
    var command: Command
  }

  private struct Command: Decodable {
    var commandName: String
    var abstract: String?
    var discussion: String?
    var shouldDisplay: Bool
    var arguments: [Argument]?
    var subcommands: [Command]?

    /// Returns the section of this subcommand, followed by the sections of its subcommands.
    func sections(path: String) -> [String] {
      guard shouldDisplay, commandName != "help" else { return [] }
      let path = "\(path) \(commandName)"
      var text = "## \(path)\n\n\(abstract ?? "")\n"
      let children = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
      let arguments = (arguments ?? []).filter { $0.shouldDisplay && !$0.isGeneral }
      if children.isEmpty {
        let words = arguments.filter { $0.kind == "positional" }.map(\.usage)
        let options = arguments.contains { $0.kind != "positional" } ? ["[options]"] : []
        text += "\n```text\n\(([path] + words + options).joined(separator: " "))\n```\n"
      }
      if let discussion { text += Self.prose(discussion) }
      if !arguments.isEmpty {
        text += "\n| argument | meaning |\n|---|---|\n" + arguments.map { "\($0.row)\n" }.joined()
      }
      return [text] + children.flatMap { $0.sections(path: path) }
    }

    /// Formats a discussion. Indented lines are commands and become a code block.
    private static func prose(_ discussion: String) -> String {
      var text = ""
      var isBlock = false
      for line in discussion.split(separator: "\n") {
        if line.hasPrefix("  ") != isBlock {
          isBlock.toggle()
          text += isBlock ? "\n```sh\n" : "```\n"
        }
        text += isBlock ? "\(line.dropFirst(2))\n" : "\n\(line.replacing("<", with: "\\<"))\n"
      }
      return isBlock ? text + "```\n" : text
    }
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var discussion: String?
    var defaultValue: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool

    /// True if every subcommand has this option.
    var isGeneral: Bool { ["version", "help"].contains(valueName ?? "") && kind == "flag" }

    var usage: String {
      let word = "<\(valueName ?? "value")>" + (isRepeating ? " ..." : "")
      return isOptional ? "[\(word)]" : word
    }

    var row: String {
      let names = (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.joined(separator: ", ")
      let head = kind == "positional" ? usage : kind == "option" ? "\(names) <\(valueName ?? "value")>" : names
      var meaning = [abstract, discussion].compactMap(\.self).joined(separator: " ")
      if let defaultValue { meaning += " Default: `\(defaultValue)`." }
      if isRepeating && kind != "positional" { meaning += " Repeatable." }
      return "| `\(head)` | \(meaning.replacing("|", with: "\\|").replacing("\n", with: " ")) |"
    }
  }
}
