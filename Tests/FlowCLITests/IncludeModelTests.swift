import FlowModel
import FlowTestKit
import Foundation
import TestSupport
import Testing

/// Compares runs of random workflows with a model of the documented rules. The model shares no code with the engine.
@Suite(.timeLimit(.minutes(10))) struct `Random workflows with fan-outs and includes` {
  private static let count = UInt64(TestExtent.count(usual: 25, release: 80, long: 2_000))

  @Test func `random workflows with fan-outs and includes have the documented results`() throws {
    let seeds = SeededGenerator.environmentSeed.map { $0...$0 } ?? 1...Self.count
    for seed in seeds {
      var random = SeededGenerator(seed: seed)
      let model = IncludeModel(name: "w", &random)
      var expected: [String: IncludeModel.End] = [:]
      model.play(into: &expected)
      let got = try Self.ends(model)
      for (id, end) in expected.sorted(by: { $0.key < $1.key }) where got[id] != end.word {
        Issue.record("FLOWRUN_SEED=\(seed) \(id): \(end.word), not \(got[id] ?? "missing") in \(model.files)")
      }
    }
  }

  /// Runs the files of a model. Returns the results of all steps, by id.
  private static func ends(_ model: IncludeModel) throws -> [String: String] {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    for (name, text) in model.files { try tool.write(text, to: name) }
    let output = try tool.run("\(model.name).yaml", "--no-history", "--report", "report.json")
    let report = try? JSONText.parse(tool.text(of: "report.json")).objectValue
    let steps = try #require(report?["steps"]?.objectValue, "\(output) in \(model.files)")
    var ends: [String: String] = [:]
    for (id, step) in steps {
      ends[id] = step.objectValue?["reason"]?.stringValue ?? step.objectValue?["outcome"]?.stringValue
    }
    return ends
  }
}
