import ArgumentParser
import FlowCommandKit
import FlowModel
import FlowSystem

/// Completions that depend on the installed plugins and on the workflow named on the command line.
extension Completions {
  static let reasons = CompletionKind.list(LaunchReason.allCases.map(\.rawValue))

  /// The installed actions, including those of plugins near the working folder.
  static let actions = CompletionKind.custom { _, _, _ in
    (try? Installation(given: []))?.registry.declarations.map(\.name) ?? []
  }

  static let actionsAndPlugins = CompletionKind.custom { _, _, _ in
    guard let registry = (try? Installation(given: []))?.registry else { return [] }
    return registry.plugins.map(\.name) + registry.declarations.map(\.name)
  }

  /// The events of the workflow that the command line names. An `@` is appended, because a delay follows.
  package static let events = CompletionKind.custom { words, _, _ in
    guard let (workflow, installation) = workflow(among: words) else { return [] }
    return LaunchArguments.events(of: workflow, installation.registry).sorted().map { $0 + "@" }
  }

  /// The inputs of the workflow that the command line names. An `=` is appended, because the value follows.
  static let inputs = CompletionKind.custom { words, _, _ in
    workflow(among: words)?.workflow.inputs.map { $0.name + "=" } ?? []
  }

  /// The steps of the workflow that the command line names.
  package static let stepsOfFile = CompletionKind.custom { words, _, _ in
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
