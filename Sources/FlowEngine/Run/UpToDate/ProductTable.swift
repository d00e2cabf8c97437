import FlowExpressions
import FlowModel
import FlowPlatform
import Synchronization

/// The products that the steps of a run declare, as known before steps run. The table is filled on first use.
final class ProductTable: Sendable {
  private let graph: WorkflowGraph
  private let workflowFolder: String
  private let outer: ProductTable?
  private let products = Mutex<[NamePattern]?>(nil)

  /// Creates the table for the steps of a workflow.
  ///
  /// - Parameters:
  ///   - workflowFolder: The absolute path of the workflow's folder.
  ///   - outer: The products of the outer run if this is the run of an item, otherwise nil.
  init(_ graph: WorkflowGraph, in workflowFolder: String, outer: ProductTable?) {
    self.graph = graph
    self.outer = outer
    self.workflowFolder = workflowFolder
  }

  /// True if a step may produce the file at `path`, which may be relative to `folder`. An expression counts as matching
  /// any text.
  func mayMake(_ path: String, in folder: String) -> Bool {
    let path = FilePath.place(of: path, in: folder)
    let known = products.withLock { products in
      if products == nil { products = all() }
      return products ?? []
    }
    return known.contains { $0.matches(path) } || outer?.mayMake(path, in: folder) == true
  }

  /// Returns the pattern with each expression replaced by a star.
  static func text(of pattern: String, _ texts: WorkflowTexts) -> String {
    (try? texts.template(pattern))?.text { _ in "*" } ?? "*"
  }

  private func all() -> [NamePattern] {
    graph.steps(stating: .preparation).flatMap { step -> [NamePattern] in
      let produces = graph.workflow.steps[Int(step)].options.produces.map(\.pattern)
      let scope = graph.workflow.scope(of: step).map { graph.workflow.scopes[$0].folder } ?? ""
      let start = PatternText.quoted(scope.isEmpty ? workflowFolder : "\(workflowFolder)/\(scope)")
      return produces.filter { !PatternText.isExclusion($0) }.flatMap { pattern -> [NamePattern] in
        let text = Self.text(of: pattern, graph.workflow.texts)
        // Here, a star for an expression also matches slashes.
        return NamePattern.ofWholePaths(FilePath.isAbsolute(text) ? text : "\(start)/\(text)")
      }
    }
  }
}
