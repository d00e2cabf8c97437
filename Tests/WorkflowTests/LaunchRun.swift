import FlowModel
import Foundation
import TestSupport
import Testing

/// One real launch: `workflows/launch.yaml`, or a changed copy of it, run by the real binary on a real data folder.
struct LaunchRun {
  let result: FlowrunProcess.Result
  /// The report, as `--report` wrote it; null where the run wrote none.
  let report: Value
  /// The events of the run, as `--json` wrote them.
  let events: [Value]

  /// Runs to the end. Without other arguments it is a launch in the background, which has no minimum. Without a file, its
  /// gate has the time that a busy machine needs.
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

  /// Makes the maximum of the gate a minute, in which a launch is ready on any machine.
  private static let patience = [("&& '1s' || '5s'", "&& '60s' || '60s'")]

  /// A copy of the workflow with its folder in `folders`, changed by `changes`; what is to be changed must be there. Its gate has
  /// a maximum of a minute unless `keepsMaximum`.
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

  /// What the steps logged, in order.
  var logs: [String] { events.filter { $0["event"] == "step.log" }.compactMap { $0["message"]?.stringValue } }

  /// When the gate opened.
  func gateOpened() throws -> Double { try #require(report["gate"]?["openedAt"]?.numberValue) }

  /// When everything that the gate waits for was there.
  func gateReady() throws -> Double { try #require(report["gate"]?["readyAt"]?.numberValue) }

  /// Whether two steps ran at the same time.
  func overlap(_ one: String, _ other: String) throws -> Bool {
    try milliseconds(one, "startedAt") < milliseconds(other, "endedAt")
      && milliseconds(other, "startedAt") < milliseconds(one, "endedAt")
  }

  /// What the report says of a step.
  func step(_ id: String) throws -> ValueObject { try #require(report["steps"]?[id]?.objectValue) }

  func outcome(_ id: String) throws -> String { try #require(step(id)["outcome"]?.stringValue) }

  func milliseconds(_ id: String, _ key: String) throws -> Double { try #require(step(id)[key]?.numberValue) }

  /// The ids of the steps for which `condition` holds.
  func steps(where condition: (ValueObject) -> Bool) -> Set<String> {
    Set((report["steps"]?.objectValue ?? [:]).filter { condition($0.value.objectValue ?? [:]) }.map(\.key))
  }

  /// The place among all events of the first one for which `condition` holds.
  func place(_ what: String, _ condition: (Value) -> Bool) throws -> Int {
    let place = events.firstIndex(where: condition)
    return try #require(place, "\(what) never came")
  }

  /// The place of the post of an event.
  func place(ofPosted name: String) throws -> Int {
    try place(name) { $0["event"] == "event.posted" && $0["name"] == .string(name) }
  }
}

extension Value {
  /// The member of an object; nil for all else.
  subscript(key: String) -> Value? { objectValue?[key] }
}
