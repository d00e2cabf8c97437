import FlowModel
import Foundation
import TestSupport
import Testing

/// A launch of `workflows/launch.yaml`, or of a changed copy, by the real binary in a real data folder.
struct LaunchRun {
  let result: FlowrunProcess.Result
  /// The report written by `--report`, or null if there is none.
  let report: Value
  /// The events written by `--json`.
  let events: [Value]

  /// Runs a launch until it ends. Without arguments, the launch is in the background and has no minimum. Without a
  /// file, the maximum of the gate is long enough for a busy machine.
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

  /// Returns the path of a copy of the workflow to which `changes` were applied. Each old text must exist. The maximum
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

  /// The messages that steps logged, in order.
  var logs: [String] { events.filter { $0["event"] == "step.log" }.compactMap { $0["message"]?.stringValue } }

  /// Returns the time at which the gate opened, in milliseconds.
  func gateOpened() throws -> Double { try #require(report["gate"]?["openedAt"]?.numberValue) }

  /// Returns the time at which the last blocking step was satisfied, in milliseconds.
  func gateReady() throws -> Double { try #require(report["gate"]?["readyAt"]?.numberValue) }

  /// True if the execution times of two steps overlap.
  func overlap(_ one: String, _ other: String) throws -> Bool {
    try milliseconds(one, "startedAt") < milliseconds(other, "endedAt")
      && milliseconds(other, "startedAt") < milliseconds(one, "endedAt")
  }

  /// Returns the report's entry for a step.
  func step(_ id: String) throws -> ValueObject { try #require(report["steps"]?[id]?.objectValue) }

  func outcome(_ id: String) throws -> String { try #require(step(id)["outcome"]?.stringValue) }

  func milliseconds(_ id: String, _ key: String) throws -> Double { try #require(step(id)[key]?.numberValue) }

  /// Returns the ids of the steps whose entries in the report satisfy `condition`.
  func steps(where condition: (ValueObject) -> Bool) -> Set<String> {
    Set((report["steps"]?.objectValue ?? [:]).filter { condition($0.value.objectValue ?? [:]) }.map(\.key))
  }

  /// Returns the index of the first event that satisfies `condition`.
  func place(_ what: String, _ condition: (Value) -> Bool) throws -> Int {
    let place = events.firstIndex(where: condition)
    return try #require(place, "\(what) never came")
  }

  /// Returns the index of the first post of an event with this name.
  func place(ofPosted name: String) throws -> Int {
    try place(name) { $0["event"] == "event.posted" && $0["name"] == .string(name) }
  }
}

extension Value {
  /// The member of an object with this key, or nil for any other value.
  subscript(key: String) -> Value? { objectValue?[key] }
}
