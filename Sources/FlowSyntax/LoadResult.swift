import FlowCompiled
import FlowDiagnostics
import FlowModel

/// The result of loading a workflow: a graph, or errors.
package struct LoadResult: Sendable {
  /// The checked workflow, or nil if there is an error.
  package internal(set) var graph: WorkflowGraph?
  /// All diagnostics, in file order.
  package internal(set) var diagnostics: [Diagnostic]
  /// The file's name and text.
  package let source: SourceText
  /// The results of loading the included files that have diagnostics, sorted by path.
  package internal(set) var included: [LoadResult] = []
  /// The results of loading all included files, by path. Empty if the workflow includes none, or has an error that
  /// prevents merging them.
  var includedFiles: [ByteName: LoadResult] = [:]
  /// The outputs of the workflow. The type of an output is `any` if it is not known.
  package internal(set) var outputs: [FieldDeclaration] = []
  /// The variables that the file's expressions read as `env.NAME` and that the file does not set.
  package internal(set) var variableReads: [VariableRead] = []
  /// The compiled workflow, or nil if YAML was loaded.
  var compiledFile: CompiledWorkflow?
  /// The bytes that a run records as its definition: the text with all included files, or the compiled workflow.
  package internal(set) var definition: [UInt8] = []

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

  /// Returns the location of the step's value for `key`, or of its id if it has no such key. Returns nil if the step is
  /// not in this file.
  package func span(of step: StepIndex, key: String? = nil) -> TextSpan? {
    guard let tree, locations.steps.indices.contains(Int(step)) else { return nil }
    let location = locations.steps[Int(step)]
    let value = key.flatMap { tree.member($0, of: location.value)?.value }
    return tree.span(value ?? location.key)
  }

  /// Returns the file that contains a step, which is this file or an included one, and the location of the step's id.
  /// Returns nil if no file contains the step.
  package func definition(of step: StepIndex) -> (source: SourceText, span: TextSpan)? {
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

  /// Returns the value of `key` in a step with its location, or nil if the step does not have the key or is not in this
  /// file.
  package func value(of step: StepIndex, key: String) -> PlacedValue? {
    guard let tree, locations.steps.indices.contains(Int(step)) else { return nil }
    return tree.member(key, of: locations.steps[Int(step)].value).map { PlacedValue.of($0.value, in: tree) }
  }

  /// Returns the location of a secret's declaration, or nil if there is no such secret.
  package func span(ofSecret name: String) -> TextSpan? {
    guard let tree, let secrets = locations.value(.secrets) else { return nil }
    return tree.member(name, of: secrets).map { tree.span($0.key) }
  }

  /// Returns the location of the value of a workflow's key, or nil if the workflow does not have the key.
  package func span(ofWorkflowKey key: String) -> TextSpan? {
    guard let tree, let key = WorkflowKey(rawValue: key), let node = locations.value(key) else { return nil }
    return tree.span(node)
  }

  /// Returns the result without warnings about steps that do not run if only the named steps, the steps in `finally`
  /// and the dependencies of both run.
  package func concerning(_ names: [String]) -> LoadResult {
    guard !names.isEmpty, let tree, let steps = graph?.workflow.steps else { return self }
    var open = steps.indices.filter { names.contains(steps[$0].id.text) || steps[$0].options.isFinal }
    var running = Set(open)
    while let step = open.popLast() {
      for need in steps[step].needs where running.insert(Int(need)).inserted { open.append(Int(need)) }
    }
    let others = locations.steps.indices.filter { !running.contains($0) }.map { index in
      let location = locations.steps[index]
      return TextSpan(tree.span(location.key).start, tree.span(location.value).end)
    }
    var result = self
    result.diagnostics.removeAll { diagnostic in
      !diagnostic.isError && others.contains { $0.start <= diagnostic.span.start && diagnostic.span.end <= $0.end }
    }
    return result
  }

  /// Formats all diagnostics with excerpts of the files.
  package func rendered(usesColor: Bool = false) -> String {
    included.map { $0.rendered(usesColor: usesColor) }.joined()
      + (diagnostics.isEmpty ? "" : DiagnosticRenderer(source, usesColor: usesColor).render(diagnostics))
  }
}
