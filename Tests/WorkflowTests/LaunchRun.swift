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

  /// Runs to the end. Without other arguments it is a launch in the background, which has no floor.
  init(
    _ arguments: [String] = ["--launch", "background"], data: String, file: String = Self.file,
    environment: [String: String] = [:]
  ) throws {
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
