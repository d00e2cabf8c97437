/// What each step has to do with the launch gate: whether it starts only after the gate has opened, and whether the gate
/// waits for it.
///
/// A step that needs a deferred one is thereby deferred, and the gate waits for every step that is not. Where `defer` is
/// an expression, its answer is known at activation; before that both sides are possible.
public struct GateRoles: Sendable {
  /// How sure it is that something holds for a step.
  public enum Certainty: UInt8, Sendable, Comparable {
    case never
    /// An expression decides at activation.
    case byExpression
    case always

    /// Orders by how sure it is.
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
  /// Whether each step is deferred; empty: none is.
  private let deferrals: [Certainty]

  /// The roles of the steps of `graph`. `answers` are the steps whose `defer` expression is true; nil: not evaluated.
  public init(_ graph: WorkflowGraph, answers: StepList? = nil) {
    self.init(
      graph.workflow.steps, candidates: graph.stepsWithOptions, order: graph.topologicalOrder, answers: answers)
  }

  /// The roles of the steps of a workflow; `order` has each step after all that it needs. Where the dependencies form a
  /// cycle it is empty, and each step stands for itself.
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

  /// Whether some step is deferred, or may be.
  public var isAnyDeferred: Bool { !deferrals.isEmpty }

  /// Whether a step starts only after the gate has opened.
  public func deferral(of step: StepIndex) -> Certainty { deferrals.isEmpty ? .never : deferrals[Int(step)] }

  /// Whether the gate waits for a step itself. A disabled step has its role too: it is satisfied from the start.
  public func blocking(of step: StepIndex) -> Certainty {
    let step = Int(step)
    let stated = steps[step].stated
    if !stated.isDisjoint(with: [.blocking, .notBlocking]) { return stated.contains(.blocking) ? .always : .never }
    return deferrals.isEmpty ? .always : deferrals[step].opposite
  }

  /// The step whose own `defer` puts off `step`, which is `step` itself or one that it needs.
  public func cause(ofDeferring step: StepIndex) -> StepIndex {
    var current = step
    while steps[Int(current)].stated.isDisjoint(with: [.deferral, .waitsForAll]),
      let need = steps[Int(current)].needs.first(where: { deferral(of: $0) == deferral(of: current) })
    {
      current = need
    }
    return current
  }

  /// The first step, in the order of the file, that is to block the gate and starts only after it has opened; nil: none.
  public var contradiction: StepIndex? {
    guard isAnyDeferred else { return nil }
    let first = steps.indices.first { deferrals[$0] == .always && steps[$0].stated.contains(.blocking) }
    return first.map { StepIndex($0) }
  }
}

extension StepOptions {
  /// Whether the step is switched off for good.
  public var isDisabled: Bool { enabled == .literal(false) }

  /// Whether `enabled` and `defer` are known without the expressions that are evaluated at activation.
  public var isFixedBeforeActivation: Bool {
    if case .expression = enabled { return false }
    if case .expression = deferral { return false }
    return true
  }
}

extension StepQueue {
  /// That of the queue in which a step runs that names none.
  public static func usual(forDeferred isDeferred: Bool) -> StepQueue {
    isDeferred ? .utility : .userInitiated
  }
}

extension Step {
  /// What a person reads: the step's name, else its id.
  public var displayName: String { (hasOptions ? options.name : nil) ?? id.text }
}
