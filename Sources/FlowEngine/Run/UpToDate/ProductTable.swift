import FlowExpressions
import FlowModel
import FlowPlatform
import Synchronization

/// The products that the steps of a run declare, as far as they are known before the steps run. Created on first use.
final class ProductTable: Sendable {
  private let graph: WorkflowGraph
  private let workflowFolder: String
  private let outer: ProductTable?
  private let products = Mutex<[NamePattern]?>(nil)

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - workflowFolder: The absolute path of the workflow's folder.
  ///   - outer: The products of the run that runs this one for an item.
  init(_ graph: WorkflowGraph, in workflowFolder: String, outer: ProductTable?) {
    self.graph = graph
    self.outer = outer
    self.workflowFolder = workflowFolder
  }

  /// True if a step may produce the file at a path relative to `folder`. An expression may stand for any text.
  func mayMake(_ path: String, in folder: String) -> Bool {
    let path = FilePath.place(of: path, in: folder)
    let known = products.withLock { products in
      if products == nil { products = all() }
      return products ?? []
    }
    return known.contains { $0.matches(path) } || outer?.mayMake(path, in: folder) == true
  }

  /// Returns a pattern with a star for each expression.
  static func text(of pattern: String) -> String { (try? Template(parsing: pattern))?.text { _ in "*" } ?? "*" }

  private func all() -> [NamePattern] {
    graph.steps(stating: .preparation).flatMap { step -> [NamePattern] in
      let produces = graph.workflow.steps[Int(step)].options.produces.map(\.pattern)
      let scope = graph.workflow.scope(of: step).map { graph.workflow.scopes[$0].folder } ?? ""
      let start = PatternText.quoted(scope.isEmpty ? workflowFolder : "\(workflowFolder)/\(scope)")
      return produces.filter { !PatternText.isExclusion($0) }.flatMap { pattern -> [NamePattern] in
        let text = Self.text(of: pattern)
        // As one name, so that a star stands for folders, too.
        return NamePattern.ofWholePaths(FilePath.isAbsolute(text) ? text : "\(start)/\(text)")
      }
    }
  }
}
