import FlowKitYAML
import Foundation
import Stopwatch

/// Runs the launch from a workflow that is read from YAML: `YAMLLaunch FOLDER FILE`.
///
/// `YAMLLaunch load FILE PLUGINS…` repeatedly reads a workflow, both from YAML and in compiled form. It prints the
/// nanoseconds that each takes.
@main enum Main {
  static func main() async throws {
    let stopwatch = Stopwatch()
    let words = CommandLine.arguments
    if words[1] == "load" { return try load(words[2], interfaces: words[3...]) }
    let engine = Engine { action("launch.step") { _ in } }
    var options = RunOptions(dataFolder: words[1], workflowFolder: words[1])
    options.acceptsEvents = true
    let run = try engine.start(engine.load(words[2]), options: options)
    stopwatch.finish(await run.gate.outcome.word)
  }
}

extension Main {
  /// Reads a workflow alternately from YAML and in compiled form. Prints the fastest time of each.
  private static func load(_ file: String, interfaces: ArraySlice<String>) throws {
    @Sendable func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }
    let loaded = try interfaces.compactMap {
      try PluginInterfaceLoader().load(bytes: bytes($0), file: $0).interface
    }
    let loader = WorkflowLoader(catalog: Interfaces(loaded)) { try? bytes($0) }
    let yaml = try bytes(file)
    let result = loader.load(bytes: yaml, file: file)
    guard let compiled = result.compiled?.bytes else { fatalError(result.rendered()) }
    var best = (yaml: Int.max, compiled: Int.max)
    var steps = 0
    for _ in 0..<200 {
      let start = Stopwatch.nanoseconds()
      let read = loader.load(bytes: yaml, file: file)
      let middle = Stopwatch.nanoseconds()
      steps = try WorkflowGraph(compiled: compiled).workflow.steps.count
      best = (min(best.yaml, middle - start), min(best.compiled, Stopwatch.nanoseconds() - middle))
      precondition(read.graph?.workflow.steps.count == steps)
    }
    print("{\"yaml\":\(best.yaml),\"compiled\":\(best.compiled),\"steps\":\(steps),\"bytes\":\(compiled.count)}")
  }
}

/// Declarations of actions whose plugins are not part of this program.
private struct Interfaces: ActionCatalog {
  let declarations: [ActionDeclaration]
  let runHandles: [HandleKey]

  init(_ interfaces: [PluginInterface]) {
    declarations = interfaces.flatMap(\.actions).sorted { $0.name < $1.name }
    runHandles = interfaces.flatMap(\.handles)
  }

  func declaration(named name: String) -> ActionDeclaration? { declarations.first { $0.name == name } }
  func problems(with input: LiteralInput, of action: String) -> [InputProblem] { [] }
}
