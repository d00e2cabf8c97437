import FlowTestKit
import Foundation
import TestSupport
import Testing

/// A workflow with random steps of all kinds that can be sent away, whose report is the same wherever they run.
struct RandomWorkflow {
  let text: String

  init(_ random: inout SeededGenerator) {
    var text = "name: random\nenv: { STATED: \"1\" }\nsteps:\n"
    let count = Int.random(in: 6...14, using: &random)
    var echoes: [Int] = []
    for index in 0..<count {
      var parts: [String] = []
      let needs = (0..<index).filter { _ in random.chance(25) }.prefix(3)
      if !needs.isEmpty { parts.append("needs: [\(needs.map { "s\($0)" }.joined(separator: ", "))]") }
      let echoed = needs.filter(echoes.contains)
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        // It has failed as often as it may, or is well at the last try.
        let last = Int.random(in: 1...3, using: &random)
        parts.append("run: '[ \"$FLOWRUN_ATTEMPT\" = \(last) ] || exit \(index + 1)'")
        parts.append("retry: { attempts: 2, delay: 1ms }")
        if random.chance(70) { parts.append("optional: true") }
      case 1:
        parts.append("run: 'echo early; sleep 60'")
        parts.append("deadline: 500ms")
        parts.append("optional: true")
      case 2:
        parts.append("foreach: [a, b, c]")
        parts.append("run: 'echo \"item $FLOWRUN_STEP\"; [ \"$FLOWRUN_STEP\" != \"s\(index)[\(random.next() % 4)]\" ]'")
        parts.append("optional: true")
      case 3:
        parts.append("uses: flow.set")
        parts.append("with: { values: { number: \(index), list: [1, 2] } }")
      case 4:
        parts.append("uses: flow.fail")
        parts.append("with: { message: \"number \(index)\" }")
        if random.chance(70) { parts.append("optional: true") }
      default:
        echoes.append(index)
        let read = echoed.map { "${{ steps.s\($0).outputs.stdout || 'nothing' }}" }.joined(separator: " ")
        parts.append("run: 'echo \"$STATED $FLOWRUN_STEP $FROM\"; echo error >&2'")
        parts.append("env: { FROM: \"\(read)\" }")
      }
      if random.chance(20) {
        parts.append("if: \(random.pick(["always()", "failure()", "success()", "\"1 == 2\""]))")
      }
      text += "  s\(index): { \(parts.joined(separator: ", ")) }\n"
    }
    let outputs = echoes.map { "  s\($0): \"${{ steps.s\($0).outputs.stdout || 'none' }}\"\n" }.joined()
    self.text = outputs.isEmpty ? text : text + "outputs:\n" + outputs
  }
}

/// What stays of a report when everything is taken out that may differ from run to run.
struct TimelessReport: Equatable, CustomStringConvertible {
  let description: String

  /// What flowrun is to run with `arguments` in a folder that holds flow.yaml.
  init(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws {
    let result = try FlowrunProcess.run(
      ["flow.yaml", "--report", "report.json", "--no-history"] + arguments, in: folder, environment: environment,
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
    description = lines.joined(separator: "\n")
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
  /// Compares what random workflows come to here and elsewhere.
  static func compare(
    _ count: Int, in folder: String, on arguments: [String], environment: [String: String] = [:]
  ) throws {
    let seed = SeededGenerator.environmentSeed ?? UInt64.random(in: 0..<1 << 32)
    print("seed of the workflows for \(arguments): \(seed)")
    var random = SeededGenerator(seed: seed)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for number in 0..<count {
      let workflow = RandomWorkflow(&random)
      try workflow.text.write(toFile: "\(folder)/flow.yaml", atomically: true, encoding: .utf8)
      let here = try TimelessReport([], in: folder)
      let away = try TimelessReport(arguments, in: folder, environment: environment)
      #expect(here == away, "seed \(seed), workflow \(number):\n\(workflow.text)")
    }
  }
}
