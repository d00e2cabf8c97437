import ArgumentParser
import FlowCommandKit
import FlowModel
import FlowSystem

/// Completions that depend on installed plugins and on the workflow named on the line.
extension Completions {
  /// The reasons for launching an app.
  static let reasons = CompletionKind.list(LaunchReason.allCases.map(\.rawValue))

  /// The installed actions, including those around the working folder.
  static let actions = CompletionKind.custom { _, _, _ in
    (try? Installation(given: []))?.registry.declarations.map(\.name) ?? []
  }

  /// The installed actions and their plugins.
  static let actionsAndPlugins = CompletionKind.custom { _, _, _ in
    guard let registry = (try? Installation(given: []))?.registry else { return [] }
    return registry.plugins.map(\.name) + registry.declarations.map(\.name)
  }

  /// The events of the workflow named on the line, with the `@` of a delay.
  static let events = CompletionKind.custom { words, _, _ in
    guard let (workflow, installation) = workflow(among: words) else { return [] }
    return LaunchArguments.events(of: workflow, installation.registry).sorted().map { $0 + "@" }
  }

  /// The inputs of the workflow named on the line, with their `=`.
  static let inputs = CompletionKind.custom { words, _, _ in
    workflow(among: words)?.workflow.inputs.map { $0.name + "=" } ?? []
  }

  /// The steps of the workflow named on the line.
  static let stepsOfFile = CompletionKind.custom { words, _, _ in
    workflow(among: words)?.workflow.steps.map(\.id.text) ?? []
  }

  private static func workflow(among words: [String]) -> (workflow: Workflow, installation: Installation)? {
    for word in words.dropFirst() where word.hasSuffix(".yaml") || word.hasSuffix(".yml") {
      guard let bytes = try? FileAccess.read(word), let installation = try? Installation(around: word, given: []),
        let graph = FileCheck(bytes: bytes, file: word, installation).result.graph
      else { continue }
      return (graph.workflow, installation)
    }
    return nil
  }
}
