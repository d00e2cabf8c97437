/// The role of each step for the launch gate: whether it starts only after the gate has opened, and whether the gate
/// waits for it.
///
/// A step that needs a deferred step is deferred as well, and the gate waits for all other steps. The result of a
/// `defer` expression is known at activation; before that, both are possible.
public struct GateRoles: Sendable {
  /// The certainty of a role.
  public enum Certainty: UInt8, Sendable, Comparable {
    case never
    /// An expression decides at activation.
    case byExpression
    case always

    /// Orders by increasing certainty.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The certainty of the opposite.
    fileprivate var opposite: Certainty {
      switch self {
      case .never: .always
      case .byExpression: .byExpression
      case .always: .never
      }
    }
  }

  private let steps: [Step]
  /// The deferral of each step, or empty if no step is deferred.
  private let deferrals: [Certainty]

  /// Creates the roles of the steps of `graph`. `answers` are the steps whose `defer` expression is true, or nil before
  /// evaluation.
  public init(_ graph: WorkflowGraph, answers: StepList? = nil) {
    self.init(
      graph.workflow.steps, candidates: graph.stepsWithOptions, order: graph.topologicalOrder, answers: answers)
  }

  /// Creates the roles of a workflow's steps; `order` lists each step after its dependencies. If the dependencies form
  /// a cycle, `order` is empty and dependencies are ignored.
  public init(_ workflow: Workflow, order: [StepIndex]) {
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

  /// True if some step is deferred or may be.
  public var isAnyDeferred: Bool { !deferrals.isEmpty }

  /// Returns whether a step starts only after the gate has opened.
  public func deferral(of step: StepIndex) -> Certainty { deferrals.isEmpty ? .never : deferrals[Int(step)] }

  /// Returns whether the gate waits for a step. A disabled step has a role too: it counts as finished from the start.
  public func blocking(of step: StepIndex) -> Certainty {
    let step = Int(step)
    let stated = steps[step].stated
    if !stated.isDisjoint(with: [.blocking, .notBlocking]) { return stated.contains(.blocking) ? .always : .never }
    return deferrals.isEmpty ? .always : deferrals[step].opposite
  }

  /// Returns the step whose own `defer` defers `step`: `step` itself or one of its dependencies.
  public func cause(ofDeferring step: StepIndex) -> StepIndex {
    var current = step
    while steps[Int(current)].stated.isDisjoint(with: [.deferral, .waitsForAll]),
      let need = steps[Int(current)].needs.first(where: { deferral(of: $0) == deferral(of: current) })
    {
      current = need
    }
    return current
  }

  /// The first step in file order that is declared `blocking` but starts only after the gate has opened, or nil.
  public var contradiction: StepIndex? {
    guard isAnyDeferred else { return nil }
    let first = steps.indices.first { deferrals[$0] == .always && steps[$0].stated.contains(.blocking) }
    return first.map { StepIndex($0) }
  }
}

extension StepOptions {
  /// True if the file says `enabled: false`.
  public var isDisabled: Bool { enabled == .literal(false) }

  /// True if `enabled` and `defer` do not depend on expressions that are evaluated at activation.
  public var isFixedBeforeActivation: Bool {
    if case .expression = enabled { return false }
    if case .expression = deferral { return false }
    return true
  }
}

extension StepQueue {
  /// Returns the default queue of a step.
  public static func usual(forDeferred isDeferred: Bool) -> StepQueue {
    isDeferred ? .utility : .userInitiated
  }
}

extension Step {
  /// The name for people: the step's `name`, or else its id.
  public var displayName: String { (hasOptions ? options.name : nil) ?? id.text }
}
