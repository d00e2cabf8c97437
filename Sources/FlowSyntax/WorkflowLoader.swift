import FlowCompiled
import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads and checks a workflow. The result is a graph or a list of all errors.
///
/// ```swift
/// let result = WorkflowLoader(catalog: registry).load(bytes: bytes, file: "launch.yaml")
/// guard let graph = result.graph else { print(result.rendered()); return }
/// ```
/// It does not run anything. The only other files that it reads are included ones, with `files`.
package struct WorkflowLoader: Sendable {
  private let catalog: any ActionCatalog
  private let files: (@Sendable (String) -> [UInt8]?)?

  /// Creates a loader for workflows that use the actions in `catalog`. `files` returns the content of an included file,
  /// or nil if the file cannot be read. If `files` is nil, included files are not checked, and workflows that include
  /// files cannot run.
  package init(catalog: any ActionCatalog, files: (@Sendable (String) -> [UInt8]?)? = nil) {
    self.catalog = catalog
    self.files = files
  }

  /// Loads a workflow from YAML or from its compiled form. `file` is its name in messages.
  package func load(bytes: [UInt8], file: String) -> LoadResult {
    if CompiledWorkflow.isCompiled(bytes) { return .compiled(bytes, file: file, catalog) }
    guard let parts = IncludeBundle.parts(of: bytes) else { return load(bytes, file: file, path: file, files) }
    return load(parts.main, file: file, path: parts.file) { parts.files[ByteName($0)] }
  }

  /// Loads a workflow. `file` is its name in messages, and includes are resolved relative to `path`.
  private func load(
    _ bytes: [UInt8], file: String, path: String, _ files: (@Sendable (String) -> [UInt8]?)?
  ) -> LoadResult {
    guard let files else { return examine(SourceText(bytes, file: file)).result }
    let library = IncludeLibrary(catalog: catalog, files: files)
    let loader = WorkflowLoader(
      catalog: IncludeCatalog(base: catalog, library: library, stack: [IncludeLibrary.resolve(path, in: "")]))
    var result = loader.examine(SourceText(bytes, file: file), library.expressions).result
    result.included = library.resultsWithDiagnostics
    result.definition = IncludeBundle.bytes(bytes, file: path, library.read)
    guard let graph = result.graph else { return result }
    do {
      let flat = try Flattening.flattened(graph.workflow, file: IncludeLibrary.resolve(path, in: ""), library)
      if !flat.includes.isEmpty {
        let whole = try WorkflowGraph(flat)
        result.graph = whole
        result.includedFiles = Dictionary(library.results.map { (ByteName($0.source.file), $0) }) { first, _ in first }
        result.diagnostics += WaitForFinally.diagnostics(of: whole, result)
        result.diagnostics += SameProducts.Conflict.diagnostics(ofIncludesIn: whole, result)
        if result.diagnostics.containsError { result.graph = nil }
      }
    } catch {
      result.graph = nil
      result.diagnostics.append(
        Diagnostic(
          .tooManySteps, "the workflow has more than \(Limits.steps) steps, included files counted",
          at: TextSpan(at: 0),
          help: "split it into several workflows"))
    }
    return result
  }

  /// Reads and checks the text of a workflow. The returned check is nil if the text is not YAML. The parsed expressions
  /// are added to `expressions`.
  func examine(_ source: SourceText, _ expressions: ExpressionTable = ExpressionTable()) -> (
    result: LoadResult, check: WorkflowCheck?, failure: YAMLFailure?
  ) {
    switch YAMLParser.parse(source) {
    case .failure(let failure):
      return (
        LoadResult(graph: nil, diagnostics: YAMLRecovery.diagnostics(of: source, first: failure), source: source), nil,
        failure
      )
    case .success(let tree):
      let check = examine(tree, expressions)
      let diagnostics = Consequences.removed(from: check.diagnostics, check).uniqueByLocation()
      var result = LoadResult(
        graph: diagnostics.containsError ? nil : check.graph, diagnostics: diagnostics, source: source, tree: tree,
        locations: check.locations)
      if result.graph != nil { result.outputs = check.outputFields() }
      result.variableReads = check.variableReads
      return (result, check, nil)
    }
  }

  /// Reads and checks a workflow whose YAML has been parsed.
  func examine(_ tree: NodeTree, _ expressions: ExpressionTable = ExpressionTable()) -> WorkflowCheck {
    var reader = WorkflowReader(tree: tree, catalog: catalog, expressions: expressions)
    reader.read()
    var check = WorkflowCheck(reader)
    check.run()
    return check
  }
}
