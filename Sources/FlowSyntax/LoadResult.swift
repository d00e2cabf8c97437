import FlowCompiled
import FlowDiagnostics
import FlowModel

/// The result of loading a workflow: a graph that can run, or errors.
public struct LoadResult: Sendable {
  /// The checked workflow, or nil if and only if there is an error.
  public internal(set) var graph: WorkflowGraph?
  /// All diagnostics, in file order.
  public internal(set) var diagnostics: [Diagnostic]
  /// The text that the diagnostics are about.
  public let source: SourceText
  /// The results of loading the included files.
  public internal(set) var included: [LoadResult] = []
  /// The included files by path, to locate their steps.
  var includedFiles: [ByteName: LoadResult] = [:]
  /// The outputs of the workflow, with their types if known.
  public internal(set) var outputs: [FieldDeclaration] = []
  /// The variables that expressions of this file read as `env.NAME` and that it does not set.
  public internal(set) var variableReads: [VariableRead] = []
  /// The loaded compiled workflow, or nil if YAML was loaded.
  var compiledFile: CompiledWorkflow?
  /// The definition that a run records: the file with all included files.
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

  /// Returns the location of a step for checks at activation: the value of its `key` if present, or else its id.
  /// Returns nil if there is no such step.
  public func span(of step: StepIndex, key: String? = nil) -> TextSpan? {
    guard let tree, locations.steps.indices.contains(Int(step)) else { return nil }
    let location = locations.steps[Int(step)]
    let value = key.flatMap { tree.member($0, of: location.value)?.value }
    return tree.span(value ?? location.key)
  }

  /// Returns the location of a step's id in the workflow or in an included file, or nil if there is no such step.
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

  /// Returns the value of a step's `key` with its locations, or nil if there is none.
  public func value(of step: StepIndex, key: String) -> PlacedValue? {
    guard let tree, locations.steps.indices.contains(Int(step)) else { return nil }
    return tree.member(key, of: locations.steps[Int(step)].value).map { PlacedValue.of($0.value, in: tree) }
  }

  /// Returns the location at which a secret is declared.
  public func span(ofSecret name: String) -> TextSpan? {
    guard let tree, let secrets = locations.value(.secrets) else { return nil }
    return tree.member(name, of: secrets).map { tree.span($0.key) }
  }

  /// Returns the location of the value of a workflow's key, or nil if it is absent.
  public func span(ofWorkflowKey key: String) -> TextSpan? {
    guard let tree, let key = WorkflowKey(rawValue: key), let node = locations.value(key) else { return nil }
    return tree.span(node)
  }

  /// Formats all diagnostics with excerpts for people.
  public func rendered(usesColor: Bool = false) -> String {
    included.map { $0.rendered(usesColor: usesColor) }.joined()
      + (diagnostics.isEmpty ? "" : DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics))
  }
}
