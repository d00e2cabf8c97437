import ArgumentParser
import FlowCommandKit
import FlowModel
import FlowSystem

/// What the shell proposes for arguments: it asks flowrun, which looks at what is installed and at the file that is named.
extension Completions {
  /// Why an app may be launched.
  static let reasons = CompletionKind.list(LaunchReason.allCases.map(\.rawValue))

  /// The actions around the working directory.
  static let actions = CompletionKind.custom { _, _, _ in
    (try? Installation(given: []))?.registry.declarations.map(\.name) ?? []
  }

  /// The actions, and the plugins that have them.
  static let actionsAndPlugins = CompletionKind.custom { _, _, _ in
    guard let registry = (try? Installation(given: []))?.registry else { return [] }
    return registry.plugins.map(\.name) + registry.declarations.map(\.name)
  }

  /// The events of the workflow that is on the line, with the `@` of a delay.
  static let events = CompletionKind.custom { words, _, _ in
    guard let (workflow, installation) = workflow(among: words) else { return [] }
    return LaunchArguments.events(of: workflow, installation.registry).sorted().map { $0 + "@" }
  }

  /// The inputs of the workflow that is on the line, with their `=`.
  static let inputs = CompletionKind.custom { words, _, _ in
    workflow(among: words)?.workflow.inputs.map { $0.name + "=" } ?? []
  }

  /// The steps of the workflow that is on the line.
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
