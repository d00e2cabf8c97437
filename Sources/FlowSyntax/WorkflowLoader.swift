import FlowDiagnostics
import FlowModel

/// Turns the text of a workflow into a checked graph, or into everything that is wrong with it.
///
/// ```swift
/// let result = WorkflowLoader(catalog: registry).load(bytes: bytes, file: "launch.yaml")
/// guard let graph = result.graph else { print(result.rendered()); return }
/// ```
/// Nothing runs and no file is read.
public struct WorkflowLoader: Sendable {
  private let catalog: any ActionCatalog

  /// A loader that knows the actions of `catalog`.
  public init(catalog: any ActionCatalog) { self.catalog = catalog }

  /// Loads the workflow in `bytes`; `file` is what messages call it.
  public func load(bytes: [UInt8], file: String) -> LoadResult { examine(SourceText(bytes, file: file)).result }

  /// The one way from a text to what is wrong with it, together with what was examined; nil where it is no YAML.
  func examine(_ source: SourceText) -> (result: LoadResult, check: WorkflowCheck?, failure: YAMLFailure?) {
    switch YAMLParser.parse(source) {
    case .failure(let failure):
      return (
        LoadResult(graph: nil, diagnostics: YAMLRecovery.diagnostics(of: source, first: failure), source: source), nil,
        failure
      )
    case .success(let tree):
      let check = examine(tree)
      let diagnostics = Consequences.removed(from: check.diagnostics, check).uniqueByPlace()
      return (
        LoadResult(
          graph: diagnostics.containsError ? nil : check.graph, diagnostics: diagnostics, source: source, tree: tree,
          places: check.places), check, nil
      )
    }
  }

  /// Reads and checks what a tree says.
  func examine(_ tree: NodeTree) -> WorkflowCheck {
    var reader = WorkflowReader(tree: tree, catalog: catalog)
    reader.read()
    var check = WorkflowCheck(reader)
    check.run()
    return check
  }
}
