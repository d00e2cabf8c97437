import FlowDiagnostics
import FlowPluginKit
import FlowSyntax
import FlowTestKit
import Foundation
import TestSupport
import Testing

@testable import FlowCLI

@Suite(.timeLimit(.minutes(10))) struct `A single mistake in an example` {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "workflows").path

  /// With `FLOWRUN_LONG_TESTS=1`, tries every kind of mistake on every line of every workflow. Otherwise, tries about
  /// one in 30 of these mistakes. `FLOWRUN_SEED` selects them.
  @Test func `a single mistake in an example results in at most one error`() throws {
    let seed = SeededGenerator.environmentSeed ?? 5
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let request = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] == nil ? 30 : 1
    let loader = WorkflowLoader(catalog: ActionRegistry(BuiltInPlugins.all))
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter {
      $0.hasSuffix(".yaml") && !$0.hasSuffix(".sync.yaml")
    }
    .sorted()
    var tried = 0
    for file in files {
      let text = try String(contentsOfFile: "\(Self.folder)/\(file)", encoding: .utf8)
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      while lines.last?.isEmpty == true { lines.removeLast() }
      for number in lines.indices {
        for mistake in SingleMistake.allCases where Int.random(in: 0..<request, using: &random) == 0 {
          guard let broken = mistake.text(of: lines, at: number) else { continue }
          tried += 1
          let result = loader.load(bytes: Array(broken.utf8), file: "\(file)-\(mistake.rawValue)-\(number + 1).yaml")
          #expect(result.diagnostics.count(where: \.isError) <= 1, "\(result.rendered())")
        }
      }
    }
    #expect(files.count >= 5 && tried > 4_000 / request)
  }

  @Test(arguments: [SingleMistake.lineTwoIn, .blockTwoIn])
  func `events with the wrong indentation cause a single error`(
    mistake: SingleMistake
  ) throws {
    let text = try String(contentsOfFile: Self.folder + "/launch.yaml", encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let number = try #require(lines.firstIndex(of: "events:"))
    let broken = try #require(mistake.text(of: lines, at: number))
    let loader = WorkflowLoader(catalog: ActionRegistry(BuiltInPlugins.all))
    let result = loader.load(bytes: Array(broken.utf8), file: "launch.yaml")
    #expect(result.diagnostics.count(where: \.isError) == 1, "\(result.rendered())")
  }
}
