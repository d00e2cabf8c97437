import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSyntax
import Foundation
import Testing

@testable import FlowCLI

/// Every report must conform to the schema of SARIF 2.1.0, an OASIS standard.
///
/// The schema does not allow additional properties, so a property that a shape does not list is an error here.
struct SARIFShapeTests {
  /// An object of the standard: the properties that flowrun uses with their types, and the required properties.
  private struct Shape: Sendable {
    var required: Set<String> = []
    var properties: [String: @Sendable (Value, String) -> Void] = [:]
  }

  private static func object(_ shape: Shape) -> @Sendable (Value, String) -> Void {
    { value, path in
      guard let members = value.objectValue else {
        Issue.record("\(path) is not an object")
        return
      }
      for key in shape.required.subtracting(members.keys) { Issue.record("\(path) lacks '\(key)'") }
      for (key, member) in members {
        guard let check = shape.properties[key] else {
          Issue.record("\(path) may not have '\(key)'")
          continue
        }
        check(member, "\(path).\(key)")
      }
    }
  }

  private static func list(_ check: @escaping @Sendable (Value, String) -> Void) -> @Sendable (Value, String) -> Void {
    { value, path in
      guard let elements = value.arrayValue else {
        Issue.record("\(path) is not a list")
        return
      }
      for (index, element) in elements.enumerated() { check(element, "\(path)[\(index)]") }
    }
  }

  private static let text: @Sendable (Value, String) -> Void = { value, path in
    if value.stringValue == nil { Issue.record("\(path) is not a text") }
  }

  private static func word(_ words: String...) -> @Sendable (Value, String) -> Void {
    { value, path in
      if !words.contains(value.stringValue ?? "") { Issue.record("\(path) is \(value.shortText), not one of \(words)") }
    }
  }

  private static func integer(atLeast least: Int) -> @Sendable (Value, String) -> Void {
    { value, path in
      if (value.integerValue ?? .min) < least { Issue.record("\(path) is \(value.shortText), not at least \(least)") }
    }
  }

  /// A URI reference (RFC 3986). It can contain only these characters. Two hexadecimal digits must follow a `%`.
  private static let reference: @Sendable (Value, String) -> Void = { value, path in
    let isReference = (value.stringValue ?? " ").wholeMatch(
      of: /(?:[A-Za-z0-9._~:\/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*/)
    if isReference == nil { Issue.record("\(path) is no URI reference: \(value.shortText)") }
  }

  private static let message = object(Shape(required: ["text"], properties: ["text": text]))

  private static let physicalLocation = object(
    Shape(properties: [
      "artifactLocation": object(Shape(properties: ["uri": reference])),
      "region": object(
        Shape(properties: [
          "startLine": integer(atLeast: 1), "startColumn": integer(atLeast: 1), "endLine": integer(atLeast: 1),
          "endColumn": integer(atLeast: 1),
        ])),
    ]))

  private static let log = object(
    Shape(
      required: ["version", "runs"],
      properties: [
        "$schema": reference, "version": word("2.1.0"),
        "runs": list(
          object(
            Shape(
              required: ["tool"],
              properties: [
                "columnKind": word("utf16CodeUnits", "unicodeCodePoints"),
                "tool": object(
                  Shape(
                    required: ["driver"],
                    properties: [
                      "driver": object(
                        Shape(required: ["name"], properties: ["name": text, "rules": list(rule)]))
                    ])),
                "results": list(result),
              ]))),
      ]))

  private static let rule = object(
    Shape(
      required: ["id"],
      properties: [
        "id": text,
        "defaultConfiguration": object(Shape(properties: ["level": word("none", "note", "warning", "error")])),
      ]))

  private static let result = object(
    Shape(
      required: ["message"],
      properties: [
        "ruleId": text, "ruleIndex": integer(atLeast: 0), "level": word("none", "note", "warning", "error"),
        "message": message, "locations": list(object(Shape(properties: ["physicalLocation": physicalLocation]))),
        "relatedLocations": list(
          object(
            Shape(properties: [
              "id": integer(atLeast: 0), "physicalLocation": physicalLocation, "message": message,
            ]))),
      ]))

  /// Files with unusual names or content.
  private static let odd: [(name: String, text: String)] = [
    ("odd folder/ü 名%.yaml", "name: ä\r\nsteps:\r\n  a: { uses: flow.noop, needs: 名 }\r\n"),
    ("/absolute/quote'\".yaml", "name: [\n"), ("tab.yaml", "name: x\n\tsteps: 1\n"), ("empty.yaml", ""),
    ("mark.yaml", "\u{FEFF}name: 5\nsteps: { A: 1 }\n"), ("null.yaml", "name: \0"),
    ("emoji.yaml", "name: '🎉🎉'\nsteps: { '👩‍👩‍👧': { uses: flow.nop } }\n"),
    ("end.yaml", "name: x\nsteps: { a: { uses: flow.noop, if: \"${{\" } }"),
  ]

  @Test func `separate and combined SARIF reports on all broken workflows conform to the standard`() throws {
    var files: [DiagnosticReport.File] = []
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("BrokenWorkflows")
    let loader = WorkflowLoader(catalog: ActionRegistry(BuiltInPlugins.all))
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() where name.hasSuffix("yaml") {
      let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      let result = loader.load(bytes: bytes, file: name)
      files.append(.init(source: result.source, diagnostics: result.diagnostics))
    }
    #expect(files.count > 50)
    for (name, text) in Self.odd {
      let result = loader.load(bytes: Array(text.utf8), file: name)
      #expect(!result.diagnostics.isEmpty, "\(name)")
      files.append(.init(source: result.source, diagnostics: result.diagnostics))
    }
    for report in files.map({ DiagnosticReport([$0]) }) + [DiagnosticReport(files), DiagnosticReport([])] {
      Self.log(report.sarif(), "log")
      try expectIndices(of: report)
    }
  }

  /// Checks rules that the schema does not contain: each result has the index of its rule, and no region ends before
  /// its start.
  private func expectIndices(of report: DiagnosticReport) throws {
    let run = try #require(report.sarif().objectValue?["runs"]?.arrayValue?.first?.objectValue)
    let rules = try #require(run["tool"]?.objectValue?["driver"]?.objectValue?["rules"]?.arrayValue)
    for result in run["results"]?.arrayValue ?? [] {
      let index = try #require(result.objectValue?["ruleIndex"]?.integerValue)
      #expect(rules[index].objectValue?["id"] == result.objectValue?["ruleId"])
      let location = result.objectValue?["locations"]?.arrayValue?.first?.objectValue?["physicalLocation"]
      let region = try #require(location?.objectValue?["region"]?.objectValue)
      let numbers = ["startLine", "startColumn", "endLine", "endColumn"].compactMap { region[$0]?.integerValue }
      #expect(numbers.count == 4)
      #expect((numbers[0], numbers[1]) <= (numbers[2], numbers[3]))
    }
  }
}
