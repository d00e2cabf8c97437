/// The relation of each step to the launch gate. A deferred step starts only after the gate has opened. A blocking step
/// must finish before the gate opens.
///
/// A step that depends on a deferred step is also deferred. Unless `blocking` states otherwise, the gate waits for all
/// steps that are not deferred. The value of a `defer` expression is known at activation; before, its step may or may
/// not be deferred.
package struct GateRoles: Sendable {
  /// The certainty of a statement about a step: it is true in all runs, in no run, or in some runs.
  package enum Certainty: UInt8, Sendable, Comparable {
    case never
    /// The statement is true in some runs. An expression that is evaluated at activation decides.
    case byExpression
    case always

    /// Orders by certainty, from `never` to `always`.
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// True if the statement is true in all runs. `==` would make the runtime look up a conformance at each launch of an
    /// app.
    fileprivate var isCertain: Bool {
      if case .always = self { true } else { false }
    }

    /// The certainty that the statement is false.
    fileprivate var opposite: Certainty {
      switch self {
      case .never: .always
      case .byExpression: .byExpression
      case .always: .never
      }
    }
  }

  private let steps: [Step]
  /// For each step, the certainty that it is deferred. Empty if no step is deferred.
  private let deferrals: [Certainty]

  /// Determines the roles of all steps in a graph. `answers` are the steps whose `defer` expression is true, or nil
  /// before activation.
  package init(_ graph: WorkflowGraph, answers: StepList? = nil) {
    self.init(
      graph.workflow.steps, candidates: graph.stepsWithOptions, order: graph.topologicalOrder, answers: answers)
  }

  /// Determines the roles of all steps in a workflow. In `order`, each step must come after its dependencies. If
  /// dependencies form a cycle, `order` is empty and dependencies are ignored.
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

  /// True if any step is deferred or may be.
  package var isAnyDeferred: Bool { !deferrals.isEmpty }

  /// True if the step is deferred in all runs.
  package func isDeferred(_ step: StepIndex) -> Bool { deferral(of: step).isCertain }

  /// True if the step is blocking in all runs.
  package func isBlocking(_ step: StepIndex) -> Bool { blocking(of: step).isCertain }

  package func deferral(of step: StepIndex) -> Certainty { deferrals.isEmpty ? .never : deferrals[Int(step)] }

  /// Returns the certainty that a step is blocking. A disabled step counts as finished from the beginning.
  package func blocking(of step: StepIndex) -> Certainty {
    let step = Int(step)
    let stated = steps[step].stated
    if !stated.isDisjoint(with: [.blocking, .notBlocking]) { return stated.contains(.blocking) ? .always : .never }
    return deferrals.isEmpty ? .always : deferrals[step].opposite
  }

  /// Returns the step whose `defer` is the reason why `step` is deferred: `step` itself or one of its dependencies.
  package func cause(ofDeferring step: StepIndex) -> StepIndex {
    var current = step
    while steps[Int(current)].stated.isDisjoint(with: [.deferral, .waitsForAll]),
      let need = steps[Int(current)].needs.first(where: { deferral(of: $0) == deferral(of: current) })
    {
      current = need
    }
    return current
  }

  /// The first step that is deferred although it is declared as `blocking`, or nil if there is none.
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
  /// Returns the default queue for a step, depending on whether it is deferred.
  package static func usual(forDeferred isDeferred: Bool) -> StepQueue {
    isDeferred ? .utility : .userInitiated
  }
}

extension Step {
  /// The name that users see: the step's `name` or, if it has none, its id.
  package var displayName: String { (hasOptions ? options.name : nil) ?? id.text }
}
