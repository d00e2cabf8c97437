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
  public func load(bytes: [UInt8], file: String) -> LoadResult {
    let source = SourceText(bytes, file: file)
    switch YAMLParser.parse(source) {
    case .failure(let failure):
      return LoadResult(
        graph: nil, diagnostics: YAMLRecovery.diagnostics(of: source, first: failure), source: source)
    case .success(let tree):
      var reader = WorkflowReader(tree: tree, catalog: catalog)
      reader.read()
      var check = WorkflowCheck(reader)
      check.run()
      let diagnostics = Consequences.removed(from: check.diagnostics, check).uniqueByPlace()
      return LoadResult(
        graph: diagnostics.containsError ? nil : check.graph, diagnostics: diagnostics, source: source, tree: tree,
        places: reader.places)
    }
  }
}
