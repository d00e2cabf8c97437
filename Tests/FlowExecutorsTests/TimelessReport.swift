import FlowTestKit
import Foundation
import TestSupport
import Testing

/// The parts of a report that are the same in all runs of a workflow.
struct TimelessReport: Equatable, CustomStringConvertible {
  let description: String

  /// Runs flow.yaml in a folder with these arguments and reads its report.
  init(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws {
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--report", "report.json", "--json"] + arguments, in: folder,
      environment: environment,
      limitSeconds: 120)
    try #require(FileManager.default.fileExists(atPath: "\(folder)/report.json"), "\(result)")
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/report.json"))
    let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any], "\(result)")
    var lines = ["exit \(result.exitCode)", "conclusion \(report["conclusion"] ?? "")"]
    let steps = try #require(report["steps"] as? [String: [String: Any]])
    for (id, step) in steps.sorted(by: { $0.key < $1.key }) {
      lines.append(try id + " " + Self.text(step.filter { Self.told.contains($0.key) }))
    }
    lines.append(try Self.text(report["outputs"] ?? [:]))
    lines.append(try Self.text(report["warnings"] ?? []))
    description = try (lines + Self.logged(result.output)).joined(separator: "\n")
  }

  /// Returns the lines that each step printed to standard output and to standard error. The order of lines between the
  /// two is not defined.
  private static func logged(_ output: String) throws -> [String] {
    var lines: [String: [String]] = [:]
    for line in output.split(separator: "\n") {
      let event = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard let event, event["event"] as? String == "step.log", let step = event["step"] as? String else { continue }
      let source = "\(step) \(event["stream"] as? String ?? "") \(event["level"] as? String ?? "")"
      lines[source, default: []].append(event["message"] as? String ?? "")
    }
    return lines.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
  }

  private static let told: Set<String> = [
    "outcome", "conclusion", "reason", "attempts", "abandoned", "deferred", "blocking", "error", "needs", "items",
  ]

  private static let times: Set<String> = ["readyAt", "startedAt", "endedAt", "begunAt", "waitedMilliseconds", "queue"]

  private static func text(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(withJSONObject: timeless(value), options: [.sortedKeys, .fragmentsAllowed])
    return String(decoding: data, as: UTF8.self)
  }

  private static func timeless(_ value: Any) -> Any {
    switch value {
    case let object as [String: Any]:
      object.filter { !times.contains($0.key) && !$0.key.hasSuffix("Milliseconds") }.mapValues(timeless)
    case let list as [Any]: list.map(timeless)
    default: value
    }
  }
}

extension TimelessReport {
  /// Runs random workflows locally and remotely, and expects the same results.
  static func compare(
    _ count: Int, in folder: String, on arguments: [String], environment: [String: String] = [:]
  ) throws {
    let seed = SeededGenerator.environmentSeed ?? 7
    print("seed of the workflows for \(arguments): \(seed)")
    var random = SeededGenerator(seed: seed)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<count {
      let workflow = RandomWorkflow(&random)
      for (name, text) in workflow.files {
        try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
      }
      let here = try TimelessReport([], in: folder)
      let away = try TimelessReport(arguments, in: folder, environment: environment)
      #expect(here == away, "seed \(seed), workflow \(number):\n\(workflow.files["flow.yaml"] ?? "")")
    }
  }
}
