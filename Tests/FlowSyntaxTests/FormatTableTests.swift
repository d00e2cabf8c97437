import FlowDiagnostics
import FlowExpressions
import FlowModel
import Testing

@testable import FlowSyntax

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tables in `docs/format.md` are generated from those that the parser, the checks and the schema use.
///
/// `RECORD_SNAPSHOTS=1` writes them again and makes the test fail once, so that someone reviews the change.
struct FormatTableTests {
  private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/format.md")

  private static let maps: [(String, any FormatKey.Type)] = [
    ("workflow", WorkflowKey.self), ("step", StepKey.self), ("deadline", DeadlineKey.self), ("retry", RetryKey.self),
    ("stop", StopKey.self),
    ("queue", QueueKey.self), ("event", EventKey.self), ("defaults", DefaultsKey.self), ("field", FieldKey.self),
    ("secret", SecretKey.self), ("file", FileKey.self), ("resources", ResourcesKey.self), ("slurm", SlurmKey.self),
  ]

  private static let tables: [(name: String, text: String)] =
    maps.map { ($0.0, table(of: $0.1)) } + [
      ("contexts", contexts), ("types", types), ("errors", errors),
    ]

  private static func table(of keys: any FormatKey.Type) -> String {
    "| key | takes | default | meaning |\n|---|---|---|---|\n"
      + keys.pages.map {
        "| `\($0.name)` | \($0.shape.words) | \($0.isRequired ? "required" : $0.defaultText.map { "`\($0)`" } ?? "") "
          + "| \($0.summary) |\n"
      }.joined()
  }

  private static var contexts: String {
    var text = "| context | what it is | its members |\n|---|---|---|\n"
    for name in ExpressionDialect.workflow.names {
      let members = ContextKey.all(of: name).map { "`\($0.name)`: \($0.summary.lowercasedFirst)" }
      text += "| `\(name)` | \(ContextKey.summary(ofContext: name)) | \(members.joined(separator: "; ")) |\n"
    }
    return text
  }

  private static var types: String {
    ValueType.names.map { "`\($0)`" }.joined(separator: ", ") + ".\n"
  }

  private static var errors: String {
    func list(_ severity: Diagnostic.Severity) -> String {
      DiagnosticCode.allCases.filter { $0.severity == severity }
        .map { "[`\($0.rawValue)`](diagnostics.md#\($0.rawValue))" }.joined(separator: ", ")
    }
    return "Errors: \(list(.error)).\n\nWarnings: \(list(.warning)).\n"
  }

  @Test func `the tables on the format page match those of the parser`() throws {
    var text = String(decoding: try Data(contentsOf: Self.page), as: UTF8.self)
    for (name, table) in Self.tables {
      let begin = "<!-- made: \(name) -->\n"
      let end = "<!-- end -->\n"
      guard let start = text.firstRange(of: begin)?.upperBound,
        let finish = text[start...].firstRange(of: end)?.lowerBound
      else {
        Issue.record("the page has no table '\(name)'")
        continue
      }
      if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
        text.replaceSubrange(start..<finish, with: table)
      } else {
        #expect(String(text[start..<finish]) == table, "write it again with RECORD_SNAPSHOTS=1")
      }
    }
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data(text.utf8).write(to: Self.page)
      Issue.record("recorded again")
    }
  }

  @Test func `every key appears in a workflow on the format page`() throws {
    let text = String(decoding: try Data(contentsOf: Self.page), as: UTF8.self)
    let workflows = text.split(separator: "```yaml ").dropFirst().map { $0.prefix { $0 != "`" } }.joined()
    for (name, keys) in Self.maps {
      for key in keys.pages {
        #expect(workflows.contains("\(key.name):"), "no workflow of the page has '\(key.name)' of \(name)")
      }
    }
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension Shape {
  /// A description of the value of a key.
  fileprivate var words: String {
    switch self {
    case .string: "a string"
    case .name: "a non-empty string"
    case .nameOf(let kind): kind.rule
    case .sourceFile: "the path of a Swift file"
    case .boolean: "`true` or `false`"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .integerOr(let range, let word): "an integer from \(range.lowerBound) to \(range.upperBound), or `\(word)`"
    case .number(let least): "a number from \(Int(least))"
    case .duration: "a duration"
    case .durationAboveZero: "a duration above zero"
    case .durationOrExpression: "a duration, or a string with an expression"
    case .estimate: "a duration, or two with `..` between"
    case .retryReason: "reasons"
    case .stepNames: "a step id, or a list of them"
    case .eventNames: "an event, or a list of them"
    case .fileNames: "the path of a file, or a list of them; with expressions"
    case .fileRule:
      "a path or pattern, or a mapping of \(FileKey.pages.map { "`\($0.name)`" }.joined(separator: ", "))"
    case .workflowName: "a non-empty string"
    case .folder: "the path of a folder"
    case .environmentFiles:
      "the path of a file, `{ path, required }`, or a list of them; with expressions"
    case .eventName: "an event that repeats"
    case .expression: "an expression"
    case .booleanOrExpression: "`true`, `false` or an expression"
    case .deferral: "`true`, `idle`, `false` or an expression"
    case .word(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .queueName: "a queue"
    case .executorAddress:
      "an executor, or a mapping of \(ExecutorKey.pages.map { "`\($0.name)`" }.joined(separator: ", "))"
    case .memory: "an amount of memory, with `attempt`"
    case .size(let range):
      "a size from \(MemoryText.format(range.lowerBound)) to \(MemoryText.format(range.upperBound))"
    case .count(let range): "an integer from \(range.lowerBound) to \(range.upperBound), with `attempt`"
    case .actionName: "an action"
    case .command: "a string, or a list of strings"
    case .map(let keys): "a mapping of \(keys.pages.map { "`\($0.name)`" }.joined(separator: ", "))"
    case .durationOr(let keys, let allowsExpression):
      "a duration, or a mapping of \(keys.pages.map { "`\($0.name)`" }.joined(separator: ", "))"
        + (allowsExpression ? "; with expressions" : "")
    case .named(_, .map(let keys)): "a mapping from name to \(keys.owner)"
    case .named(_, let shape): "a mapping from name to \(shape.words)"
    case .events: "a list of names, or a mapping from name to description or declaration"
    case .foreach:
      "a list, an expression, or a mapping of \(ForeachKey.pages.map { "`\($0.name)`" }.joined(separator: ", "))"
    case .values: "a mapping"
    case .environment: "a mapping from variable to a string, a number, `true` or `false`"
    case .any: "anything"
    case .list(.string, _): "a list of strings"
    case .list(.name, _): "a list of non-empty strings"
    case .list(.fileRule, _):
      "a list of paths and patterns, each by itself or as a mapping of "
        + FileKey.pages.map { "`\($0.name)`" }.joined(separator: ", ")
    case .list(.folder, _): "a list of folders"
    case .list(let shape, _): "a list of \(shape.words)"
    }
  }
}
