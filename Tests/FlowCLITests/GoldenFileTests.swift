import Foundation
import TestSupport
import Testing

/// Files that version 0.9.0 wrote, in Tests/Goldens. They never change, and docs/stability.md promises that they can
/// still be used.
@Suite(.serialized, .timeLimit(.minutes(10))) struct `Files of version 0.9.0` {
  private static let goldens = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Goldens/0.9.0").standardizedFileURL

  private static func golden(_ name: String) throws -> String {
    try String(contentsOf: goldens.appending(path: name), encoding: .utf8)
  }

  /// Runs the workflow of an earlier version in a copy of its folder.
  private func run(_ arguments: String...) throws -> (tool: CommandLineTool, output: String) {
    let tool = try CommandLineTool()
    for name in ["golden.yaml", "golden.flow", "report.json", "plugins"] {
      try FileManager.default.copyItem(at: Self.goldens.appending(path: name), to: tool.folder.appending(path: name))
    }
    let result = try FlowrunProcess.run(
      arguments, in: tool.folder.path, environment: ["GOLDEN_KEY": "not to be seen"])
    #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
    return (tool, result.output)
  }

  @Test func `runs still report all event members of version 0.9.0`() throws {
    let (tool, output) = try run("golden.yaml", "--no-history", "--json")
    defer { tool.remove() }
    let now = Events(output)
    for (key, recorded) in Events(try Self.golden("events.jsonl")).byKey {
      let event = try #require(now.byKey[key], "no event '\(key)'")
      #expect(Shape.missing(recorded, in: event, at: key) == [])
    }
  }

  @Test func `a report of version 0.9.0 can be read, and all its members are still written`() throws {
    let (tool, _) = try run("golden.yaml", "--no-history", "--quiet", "--report", "now.json")
    defer { tool.remove() }
    let recorded = try JSONSerialization.jsonObject(with: Data(Self.golden("report.json").utf8))
    let now = try JSONSerialization.jsonObject(with: Data(tool.text(of: "now.json").utf8))
    #expect(Shape.missing(recorded, in: now, at: "report") == [])
    for arguments in [
      ["analyze", "report.json"], ["compare", "report.json", "now.json"],
      ["simulate", "golden.yaml", "--from", "report.json", "--runs", "50"],
    ] {
      let result = try tool.run(arguments)
      #expect(result.exitCode == 0, "\(arguments): \(result.standardOutput)\(result.standardError)")
    }
  }

  @Test func `a plugin of version 0.9.0 still works`() throws {
    // The plugin exits if it receives anything that is not in its record. It would then print nothing.
    let (tool, output) = try run("golden.yaml", "--no-history")
    defer { tool.remove() }
    #expect(output.contains("greet: greeting\n") && output.contains("said: Hello, Ada\n"), "\(output)")
  }

  @Test func `a workflow compiled by version 0.9.0 still runs`() throws {
    let (tool, output) = try run("golden.flow", "--no-history")
    defer { tool.remove() }
    #expect(output.contains("each[2] 3: item 3\n") && output.contains("said: Hello, Ada\n"), "\(output)")
    #expect(try tool.run("graph", "golden.flow").standardOutput == tool.run("graph", "golden.yaml").standardOutput)
  }

  @Test func `a run history of version 0.9.0 can be listed, and a killed run in it can be resumed`() throws {
    // The recorded history contains the path of this folder.
    let folder = URL(filePath: "/tmp/flowrun-golden")
    let files = FileManager.default
    try? files.removeItem(at: folder)
    defer { try? files.removeItem(at: folder) }
    try files.createDirectory(at: folder.appending(path: ".flowrun/interrupted"), withIntermediateDirectories: true)
    for (name, place) in [
      ("history.stored", ".flowrun/runs.sqlite"), ("interrupted.yaml", "interrupted.yaml"),
      ("golden.yaml", "golden.yaml"), ("plugins", "plugins"),
    ] {
      try files.copyItem(at: Self.goldens.appending(path: name), to: folder.appending(path: place))
    }
    let listed = try FlowrunProcess.run(["runs"], in: folder.path).output
    #expect(listed.contains("golden       partial") && listed.contains("interrupted  interrupted"), "\(listed)")
    let log = try FlowrunProcess.run(["logs", "5eb0f44d"], in: folder.path).output
    #expect(log.contains("greet: greeting"), "\(log)")
    try Data().write(to: folder.appending(path: "go"))
    let resumed = try FlowrunProcess.run(["resume", "interrupted.yaml"], in: folder.path)
    #expect(resumed.exitCode == 0 && resumed.output.contains("kept: before, items\n"), "\(resumed)")
    #expect(try String(contentsOf: folder.appending(path: "ran.txt"), encoding: .utf8) == "after\n")
  }
}

/// The last event of a run for each combination of event, step, attempt and name.
private struct Events {
  var byKey: [String: Any] = [:]

  init(_ lines: String) {
    for line in lines.split(separator: "\n") {
      guard let event = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
      let names = ["event", "step", "attempt", "name"].compactMap { event[$0] }
      byKey[names.map { "\($0)" }.joined(separator: " ")] = event
    }
  }
}

/// Compares the structure of two JSON values.
private enum Shape {
  /// Returns a message for each part of `recorded` that is missing in `now` or has another type. Null has any type.
  static func missing(_ recorded: Any, in now: Any?, at place: String) -> [String] {
    guard let now, kind(recorded) == kind(now) || recorded is NSNull || now is NSNull else {
      return ["\(place) is \(now.map(kind) ?? "missing"), and was \(kind(recorded))"]
    }
    switch recorded {
    case let recorded as [String: Any]:
      guard let now = now as? [String: Any] else { return [] }
      return recorded.sorted { $0.key < $1.key }.flatMap {
        missing($0.value, in: now[$0.key], at: "\(place).\($0.key)")
      }
    case let recorded as [Any]:
      guard let now = now as? [Any] else { return [] }
      return zip(recorded, now).enumerated().flatMap { missing($1.0, in: $1.1, at: "\(place)[\($0)]") }
        + (now.count < recorded.count ? ["\(place) has \(now.count) elements, and had \(recorded.count)"] : [])
    default: return []
    }
  }

  private static func kind(_ value: Any) -> String {
    switch value {
    case is [String: Any]: "an object"
    case is [Any]: "an array"
    case is String: "a string"
    case is NSNull: "null"
    default: "a number or a boolean"
    }
  }
}
