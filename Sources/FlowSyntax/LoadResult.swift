import FlowCompiled
import FlowDiagnostics
import FlowModel

/// The result of loading a workflow: a graph that may run, or the reasons why there is none.
public struct LoadResult: Sendable {
  /// The checked workflow; nil exactly when there is an error.
  public internal(set) var graph: WorkflowGraph?
  /// Everything that was found, in the order of the file.
  public internal(set) var diagnostics: [Diagnostic]
  /// The text that the diagnostics are about.
  public let source: SourceText
  /// What was found in the files that the workflow includes.
  public internal(set) var included: [LoadResult] = []
  /// The files that the workflow includes, by path, for the locations of their steps.
  var includedFiles: [ByteName: LoadResult] = [:]
  /// What the workflow returns, each output with its type where that is known.
  public internal(set) var outputs: [FieldDeclaration] = []
  /// The variables that expressions of this file read as `env.NAME` and that it does not set.
  public internal(set) var variableReads: [VariableRead] = []
  /// The compiled workflow that was read; nil if YAML was read.
  var compiledFile: CompiledWorkflow?
  /// The workflow as a run of it is recorded: the file, with those that it includes.
  public internal(set) var definition: [UInt8] = []

  private let tree: NodeTree?
  let locations: WorkflowLocations

  init(
    graph: WorkflowGraph?, diagnostics: [Diagnostic], source: SourceText, tree: NodeTree? = nil,
    locations: WorkflowLocations = WorkflowLocations()
  ) {
    self.graph = graph
    self.diagnostics = diagnostics
    self.source = source
    definition = source.bytes
    self.tree = tree
    self.locations = locations
  }

  /// Where a step is, for checks that can only be made at activation: the value of its `key` where it has one, else
  /// its id. Nil when there is no such step.
  public func span(of step: StepIndex, key: String? = nil) -> TextSpan? {
    guard let tree, locations.steps.indices.contains(Int(step)) else { return nil }
    let location = locations.steps[Int(step)]
    let value = key.flatMap { tree.member($0, of: location.value)?.value }
    return tree.span(value ?? location.key)
  }

  /// The id of a step where its author wrote it, in the workflow or in a file that it includes. Nil when there is no such
  /// step.
  public func definition(of step: StepIndex) -> (source: SourceText, span: TextSpan)? {
    if let span = span(of: step) { return (source, span) }
    for scope in graph?.workflow.scopes ?? [] {
      if scope.entry == step { return definition(of: scope.exit) }
      guard let index = scope.members.firstIndex(of: step), let file = includedFiles[ByteName(scope.file)] else {
        continue
      }
      return file.span(of: StepIndex(index)).map { (file.source, $0) }
    }
    return nil
  }

  /// What is under a step's `key`, with the locations of all of it; nil if there is nothing.
  public func value(of step: StepIndex, key: String) -> PlacedValue? {
    guard let tree, locations.steps.indices.contains(Int(step)) else { return nil }
    return tree.member(key, of: locations.steps[Int(step)].value).map { PlacedValue.of($0.value, in: tree) }
  }

  /// Where a secret of the workflow is declared.
  public func span(ofSecret name: String) -> TextSpan? {
    guard let tree, let secrets = locations.value(.secrets) else { return nil }
    return tree.member(name, of: secrets).map { tree.span($0.key) }
  }

  /// Where a key of the workflow itself is: its value, or nil if it is not given.
  public func span(ofWorkflowKey key: String) -> TextSpan? {
    guard let tree, let key = WorkflowKey(rawValue: key), let node = locations.value(key) else { return nil }
    return tree.span(node)
  }

  /// Every diagnostic as text for people, with an excerpt each.
  public func rendered(usesColor: Bool = false) -> String {
    included.map { $0.rendered(usesColor: usesColor) }.joined()
      + (diagnostics.isEmpty ? "" : DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics))
  }
}
