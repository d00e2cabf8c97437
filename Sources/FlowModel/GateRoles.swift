/// The relation of each step to the launch gate: whether it starts only after the gate has opened (deferred), and
/// whether the gate waits for it (blocking).
///
/// A step that depends on a deferred step is deferred, too, and the gate waits for all other steps. The value of a
/// `defer` expression is known at activation; before, its step may or may not be deferred.
package struct GateRoles: Sendable {
  /// The certainty of a statement: true in all runs, in none, or in some.
  package enum Certainty: UInt8, Sendable, Comparable {
    case never
    /// True or false, depending on an expression that is evaluated at activation.
    case byExpression
    case always

    /// Orders by certainty: `never` comes first.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The certainty that it is not the case.
    fileprivate var opposite: Certainty {
      switch self {
      case .never: .always
      case .byExpression: .byExpression
      case .always: .never
      }
    }
  }

  private let steps: [Step]
  /// The certainty that each step is deferred, or an empty array if no step is.
  private let deferrals: [Certainty]

  /// Determines the roles of the steps of `graph`. `answers` has the steps whose `defer` expression is true, or is nil
  /// before activation.
  package init(_ graph: WorkflowGraph, answers: StepList? = nil) {
    self.init(
      graph.workflow.steps, candidates: graph.stepsWithOptions, order: graph.topologicalOrder, answers: answers)
  }

  /// Determines the roles of a workflow's steps. In `order`, each step comes after its dependencies. If they form a
  /// cycle, `order` is empty and dependencies are ignored.
  package init(_ workflow: Workflow, order: [StepIndex]) {
    let candidates = workflow.steps.indices.filter { workflow.steps[$0].hasOptions }.map { StepIndex($0) }
    self.init(workflow.steps, candidates: candidates, order: order, answers: nil)
  }

  private init(_ steps: [Step], candidates: [StepIndex], order: [StepIndex], answers: StepList?) {
    self.steps = steps
    var deferrals: [Certainty] = []
    for index in candidates {
      let stated = steps[Int(index)].stated
      guard !stated.isDisjoint(with: [.deferral, .waitsForAll]) else { continue }
      var own = Certainty.always
      if stated.contains(.deferral), case .expression = steps[Int(index)].options.deferral {
        own = answers.map { $0.contains(index) ? .always : .never } ?? .byExpression
      }
      guard own != .never else { continue }
      if deferrals.isEmpty { deferrals = Array(repeating: .never, count: steps.count) }
      deferrals[Int(index)] = own
    }
    if !deferrals.isEmpty {
      for index in order {
        for need in steps[Int(index)].needs where deferrals[Int(need)] > deferrals[Int(index)] {
          deferrals[Int(index)] = deferrals[Int(need)]
        }
      }
    }
    self.deferrals = deferrals
  }

  /// True if a step is or may be deferred.
  package var isAnyDeferred: Bool { !deferrals.isEmpty }

  /// Returns whether a step is deferred.
  package func deferral(of step: StepIndex) -> Certainty { deferrals.isEmpty ? .never : deferrals[Int(step)] }

  /// Returns whether a step is blocking. A disabled step counts as finished from the start.
  package func blocking(of step: StepIndex) -> Certainty {
    let step = Int(step)
    let stated = steps[step].stated
    if !stated.isDisjoint(with: [.blocking, .notBlocking]) { return stated.contains(.blocking) ? .always : .never }
    return deferrals.isEmpty ? .always : deferrals[step].opposite
  }

  /// Returns the step whose own `defer` causes `step` to be deferred: itself or one of its dependencies.
  package func cause(ofDeferring step: StepIndex) -> StepIndex {
    var current = step
    while steps[Int(current)].stated.isDisjoint(with: [.deferral, .waitsForAll]),
      let need = steps[Int(current)].needs.first(where: { deferral(of: $0) == deferral(of: current) })
    {
      current = need
    }
    return current
  }

  /// The first step that is declared as `blocking` but is deferred, or nil.
  package var contradiction: StepIndex? {
    guard isAnyDeferred else { return nil }
    let first = steps.indices.first { deferrals[$0] == .always && steps[$0].stated.contains(.blocking) }
    return first.map { StepIndex($0) }
  }
}

extension StepOptions {
  /// True if the file has `enabled: false`.
  package var isDisabled: Bool { enabled == .literal(false) }

  /// True if neither `enabled` nor `defer` is an expression.
  package var isFixedBeforeActivation: Bool {
    if case .expression = enabled { return false }
    if case .expression = deferral { return false }
    return true
  }
}

extension StepQueue {
  /// Returns the default queue of a step.
  package static func usual(forDeferred isDeferred: Bool) -> StepQueue {
    isDeferred ? .utility : .userInitiated
  }
}

extension Step {
  /// The name that users see: the step's `name`, or else its id.
  package var displayName: String { (hasOptions ? options.name : nil) ?? id.text }
}
