import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Finds files that more than one step of a workflow produces.
struct SameProducts {
  struct Conflict {
    var first: Int
    var second: Int
    var path: String
    var kind: Kind
  }

  /// The relation between two steps that produce the same file.
  enum Kind {
    /// The steps may run at the same time.
    case unordered
    /// Both steps have a condition, so perhaps only one of them runs.
    case conditional
    /// One step depends on the other.
    case ordered
    /// The paths depend on inputs, and are the same if all inputs have their defaults.
    case byDefault
  }

  private let workflow: Workflow
  /// The number of steps that searches for dependencies may still visit.
  private var budget = 10_000_000

  /// Returns pairs of steps that produce the same file. Each pair consists of the first step with this product and one
  /// of the others, in file order.
  ///
  /// Paths with patterns or expressions are checked only at run time. If two paths are the same only because of the
  /// defaults of inputs, that is a warning, because a run may have other inputs.
  static func conflicts(in workflow: Workflow) -> [Conflict] {
    let makers = workflow.steps.lazy.filter { $0.hasOptions && !$0.options.produces.isEmpty }
    guard makers.count(where: { !$0.options.isDisabled }) > 1 else { return [] }
    var search = SameProducts(workflow)
    return search.conflicts()
  }

  private init(_ workflow: Workflow) { self.workflow = workflow }

  private mutating func conflicts() -> [Conflict] {
    var makers: [ByteName: [Int]] = [:]
    var paths: [ByteName] = []
    /// For each path, the steps that produce it and name it without expressions.
    var writers: [ByteName: Set<Int>] = [:]
    for node in FileFlow(workflow).nodes where !node.makers.isEmpty {
      guard let path = node.path.map({ ByteName($0) }) else { continue }
      if makers[path] == nil { paths.append(path) }
      makers[path, default: []] += node.makers
      if !Template.containsExpression(node.text) { writers[path, default: []].formUnion(node.makers) }
    }
    var found: [Conflict] = []
    for path in paths {
      var seen: Set<Int> = []
      let steps = makers[path]!.sorted().filter { !workflow.steps[$0].options.isDisabled && seen.insert($0).inserted }
      for second in steps.dropFirst() {
        let kind: Kind =
          comes(second, after: steps[0]) || comes(steps[0], after: second)
          ? .ordered
          : hasCondition(second) && hasCondition(steps[0])
            ? .conditional : writers[path]?.isSuperset(of: [steps[0], second]) == true ? .unordered : .byDefault
        found.append(Conflict(first: steps[0], second: second, path: path.text, kind: kind))
      }
    }
    return found
  }

  /// True if the step or any step that includes its file has an `if`, or an expression in `enabled`.
  private func hasCondition(_ step: Int) -> Bool {
    var step = StepIndex(step)
    while true {
      let options = workflow.steps[Int(step)].options
      if options.condition != nil { return true }
      if case .expression = options.enabled { return true }
      guard let scope = workflow.scope(of: step), workflow.scopes[scope].entry != step else { return false }
      step = workflow.scopes[scope].entry
    }
  }

  private mutating func comes(_ step: Int, after other: Int) -> Bool {
    var open = [StepIndex(step)]
    var seen: Set<StepIndex> = []
    while let current = open.popLast() {
      for need in workflow.steps[Int(current)].needs where seen.insert(need).inserted {
        if need == StepIndex(other) { return true }
        open.append(need)
      }
      budget -= 1
      // Only generated files exceed this limit. Remaining conflicts are found at run time.
      if budget < 0 { return true }
    }
    return false
  }
}

extension SameProducts.Conflict {
  /// Returns the diagnostic for the conflict. `first` and `second` are the ids of the steps.
  func diagnostic(
    _ first: String, _ second: String, at span: TextSpan, related: [Diagnostic.RelatedLocation] = []
  ) -> Diagnostic {
    switch kind {
    case .unordered:
      Diagnostic(
        .sameProduct, "steps '\(first)' and '\(second)' both produce '\(path)'", at: span, related: related,
        help: "give them different paths, or let one of them need the other")
    case .conditional:
      Diagnostic(
        .doubtfulProduct, "steps '\(first)' and '\(second)' both produce '\(path)'; if both run, the second one fails",
        at: span, related: related, help: "give them different paths, or let their conditions exclude each other")
    case .byDefault:
      Diagnostic(
        .doubtfulProduct,
        "steps '\(first)' and '\(second)' both produce '\(path)' with the defaults of the inputs; the second one fails then",
        at: span, related: related, help: "give them different paths, or let one of them need the other")
    case .ordered:
      Diagnostic(
        .doubtfulProduct,
        "steps '\(first)' and '\(second)' both produce '\(path)', so the earlier one is never up to date", at: span,
        related: related, help: "give them different paths")
    }
  }

  /// Returns the diagnostics for conflicts with steps of included files. They are located at the steps that include the
  /// files.
  static func diagnostics(ofIncludesIn graph: WorkflowGraph, _ result: LoadResult) -> [Diagnostic] {
    let workflow = graph.workflow
    guard !workflow.scopes.isEmpty else { return [] }
    func own(_ step: Int) -> (span: TextSpan, isIncluded: Bool)? {
      let id = workflow.steps[step].id.text
      let isIncluded = workflow.scope(of: StepIndex(step)) != nil
      guard let index = workflow.steps.firstIndex(where: { $0.id.text == id.prefix { $0 != "/" } }) else { return nil }
      return result.span(of: StepIndex(index), key: isIncluded ? "uses" : "produces").map { ($0, isIncluded) }
    }
    return SameProducts.conflicts(in: workflow).compactMap { conflict in
      guard let first = own(conflict.first), let second = own(conflict.second), first.isIncluded || second.isIncluded
      else { return nil }
      let inside = workflow.scope(of: StepIndex(conflict.first))
      // A conflict between two steps of the same included file is reported in that file.
      if inside != nil, inside == workflow.scope(of: StepIndex(conflict.second)) { return nil }
      return conflict.diagnostic(
        workflow.steps[conflict.first].id.text, workflow.steps[conflict.second].id.text, at: second.span,
        related: [.init(first.span, "the first one is here")])
    }
  }
}
