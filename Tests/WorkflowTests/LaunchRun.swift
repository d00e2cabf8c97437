import FlowModel
import Foundation
import TestSupport
import Testing

/// A real launch: `workflows/launch.yaml`, or a changed copy, run by the real binary in a real data folder.
struct LaunchRun {
  let result: FlowrunProcess.Result
  /// The report that `--report` wrote, or null if there is none.
  let report: Value
  /// The events that `--json` wrote.
  let events: [Value]

  /// Runs a launch to its end. Without arguments it is a launch in the background, which has no minimum. Without a
  /// file, the gate's maximum is long enough for a busy machine.
  init(
    _ arguments: [String] = ["--launch", "background"], data: String, file: String? = nil,
    environment: [String: String] = [:]
  ) throws {
    let copy = FileManager.default.temporaryDirectory.appending(path: "launch-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: copy) }
    let file = try file ?? Self.write(to: copy, Self.patience)
    let reportPath = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: reportPath) }
    result = try FlowrunProcess.run(
      ["run", file, "--data", data, "--json", "--report", reportPath] + arguments,
      environment: ["LANG": "C", "LC_ALL": "", "LANGUAGE": ""].merging(environment) { $1 })
    report = (try? JSONText.parse(String(contentsOfFile: reportPath, encoding: .utf8))) ?? .null
    events = result.lines.compactMap { try? JSONText.parse($0) }
  }

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "workflows").path
  static let file = folder + "/launch.yaml"

  /// Sets the maximum of the gate to one minute, within which a launch is ready on any machine.
  private static let patience = [("&& '1s' || '5s'", "&& '60s' || '60s'")]

  /// Returns a copy of the workflow and its folder in `folders` with `changes`, whose old texts must exist. The maximum
  /// of the gate is one minute unless `keepsMaximum` is true.
  static func changed(
    in folders: DataFolders, keepsMaximum: Bool = false, _ changes: (String, String)...
  ) throws -> String {
    try write(to: folders.folder("changed-\(UUID().uuidString)"), changes + (keepsMaximum ? [] : patience))
  }

  private static func write(to copy: String, _ changes: [(String, String)]) throws -> String {
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: folder + "/launch", toPath: copy + "/launch")
    var text = try String(contentsOfFile: file, encoding: .utf8)
    for (old, new) in changes {
      try #require(text.contains(old), "launch.yaml no longer holds '\(old)'")
      text = text.replacing(old, with: new)
    }
    try text.write(toFile: copy + "/launch.yaml", atomically: true, encoding: .utf8)
    return copy + "/launch.yaml"
  }

  /// The log lines of steps, in order.
  var logs: [String] { events.filter { $0["event"] == "step.log" }.compactMap { $0["message"]?.stringValue } }

  /// The time at which the gate opened.
  func gateOpened() throws -> Double { try #require(report["gate"]?["openedAt"]?.numberValue) }

  /// The time at which the last blocking step was satisfied.
  func gateReady() throws -> Double { try #require(report["gate"]?["readyAt"]?.numberValue) }

  /// True if two steps ran at the same time.
  func overlap(_ one: String, _ other: String) throws -> Bool {
    try milliseconds(one, "startedAt") < milliseconds(other, "endedAt")
      && milliseconds(other, "startedAt") < milliseconds(one, "endedAt")
  }

  /// Returns a step in the report.
  func step(_ id: String) throws -> ValueObject { try #require(report["steps"]?[id]?.objectValue) }

  func outcome(_ id: String) throws -> String { try #require(step(id)["outcome"]?.stringValue) }

  func milliseconds(_ id: String, _ key: String) throws -> Double { try #require(step(id)[key]?.numberValue) }

  /// Returns the ids of the steps for which `condition` is true.
  func steps(where condition: (ValueObject) -> Bool) -> Set<String> {
    Set((report["steps"]?.objectValue ?? [:]).filter { condition($0.value.objectValue ?? [:]) }.map(\.key))
  }

  /// Returns the index of the first event for which `condition` is true.
  func place(_ what: String, _ condition: (Value) -> Bool) throws -> Int {
    let place = events.firstIndex(where: condition)
    return try #require(place, "\(what) never came")
  }

  /// Returns the index of the first post of an event.
  func place(ofPosted name: String) throws -> Int {
    try place(name) { $0["event"] == "event.posted" && $0["name"] == .string(name) }
  }
}

extension Value {
  /// The member of an object, or nil for any other value.
  subscript(key: String) -> Value? { objectValue?[key] }
}
