import Foundation
import TestSupport
import Testing

/// A folder with workflows, in which flowrun runs.
final class WorkflowFolder {
  /// The output, the exit status and the report of a run.
  struct Outcome {
    var output: String
    var status: Int32
    var steps: [String: [String: Any]]
    var conclusion: String
  }

  let url = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-\(UInt64.random(in: 0 ... .max))")

  init(_ files: [String: String]) throws {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    for (name, text) in files { try write(text, to: name) }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func write(_ text: String, to name: String) throws {
    let file = url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  func flowrun(_ arguments: String...) throws -> (text: String, status: Int32) {
    let result = try FlowrunProcess.run(arguments, in: url.path)
    return (result.output + result.errors, result.exitCode)
  }

  func run(_ file: String) throws -> Outcome {
    let (text, status) = try flowrun(file, "--report", "report.json")
    let data = try Data(contentsOf: url.appendingPathComponent("report.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    return Outcome(
      output: text, status: status, steps: report["steps"] as? [String: [String: Any]] ?? [:],
      conclusion: report["conclusion"] as? String ?? "")
  }
}
