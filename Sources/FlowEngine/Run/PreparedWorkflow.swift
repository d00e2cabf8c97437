import FlowExpressions
import FlowModel
import FlowPluginKit

/// A workflow bound to the actions of a registry: every action found, every expression parsed, literal inputs made.
///
/// Preparing is separate from running, so that a workflow may be run many times.
public struct PreparedWorkflow: Sendable {
  /// The workflow.
  public let graph: WorkflowGraph
  /// Handles that plugins bring into every run.
  let resources: [PluginResource]
  /// The different actions that the steps use.
  let actions: [RegisteredAction]
  /// For each step the index of its action in ``actions``.
  let actionIndices: [Int32]
  /// What runs for each of ``actions``.
  let bodies: StepBodies
  /// What steps with inputs, conditions or switches have besides, in file order.
  let details: [StepDetail]
  /// For each step the index of its detail, or -1.
  let detailIndices: [Int32]
  let facts: [StepIndex: StepFacts]
  let environment: PreparedObject
  let outputs: PreparedObject
  let gateMin: PreparedDuration?
  let gateMax: PreparedDuration?

  /// Why a workflow cannot be prepared; the loader finds all of these before, with their places.
  public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The step it is about, or nil.
    public var step: StepID?
    /// What is wrong.
    public var message: String
    /// The step and what is wrong.
    public var description: String { step.map { "step '\($0)': \(message)" } ?? message }
  }

  /// Binds `graph` to the actions of `registry`; throws when an action is missing or an expression does not parse.
  public init(_ graph: WorkflowGraph, registry: ActionRegistry) throws(Problem) {
    self.graph = graph
    resources = registry.resources
    let workflow = graph.workflow
    var actions: [RegisteredAction] = []
    var known = NameIndices()
    var indices: [Int32] = []
    indices.reserveCapacity(workflow.steps.count)
    var details: [StepDetail] = []
    var detailIndices = [Int32](repeating: -1, count: workflow.steps.count)
    var facts: [StepIndex: StepFacts] = [:]
    var last = (name: "", index: Int32(-1))
    // Whether an action takes nothing and is no service: of such a step nothing need be kept.
    var isPlain: [Bool] = []
    for place in workflow.steps.indices {
      let step = workflow.steps[place]
      if step.uses != last.name {
        if let index = known[step.uses] {
          last = (step.uses, index)
        } else {
          guard let action = registry.action(named: step.uses) else {
            throw Problem(step: step.id, message: "no action '\(step.uses)' is installed")
          }
          last = (step.uses, Int32(actions.count))
          known[step.uses] = last.index
          actions.append(action)
          isPlain.append(action.declaration.inputs.isEmpty && !action.declaration.isService)
        }
      }
      indices.append(last.index)
      if isPlain[Int(last.index)], !step.hasOptions, step.with.isEmpty { continue }
      let declaration = actions[Int(last.index)].declaration
      do throws(ExpressionError) {
        let detail = try StepDetail(step)
        if !detail.isPlain || !declaration.inputs.isEmpty {
          detailIndices[place] = Int32(details.count)
          details.append(detail)
        }
        let fact = StepFacts(
          isService: declaration.isService, postedEvents: Self.eventsPosted(by: declaration, with: step.with),
          statusFunctions: detail.condition?.statusFunctionSet ?? [])
        if fact.isService || !fact.statusFunctions.isEmpty { facts[StepIndex(place)] = fact }
      } catch {
        throw Problem(step: step.id, message: error.description)
      }
    }
    self.actions = actions
    bodies = StepBodies(actions, steps: indices, details: detailIndices)
    actionIndices = indices
    self.details = details
    self.detailIndices = detailIndices
    self.facts = facts
    do throws(ExpressionError) {
      environment = try PreparedObject(workflow.environment)
      outputs = try PreparedObject(workflow.outputs)
      gateMin = try workflow.gate?.min.map { source throws(ExpressionError) in try PreparedDuration(source) }
      gateMax = try workflow.gate?.max.map { source throws(ExpressionError) in try PreparedDuration(source) }
    } catch {
      throw Problem(step: nil, message: error.description)
    }
  }

  /// What a step may post: the events that its action declares, and the one that it names in its inputs, as `flow.post`
  /// does.
  private static func eventsPosted(by declaration: ActionDeclaration, with inputs: ValueObject) -> [String] {
    guard let event = declaration.eventFromInput.flatMap({ inputs[$0]?.stringValue }) else { return declaration.events }
    return declaration.events + [event]
  }

  /// What a step has beyond its action; nil: nothing.
  func detail(of step: StepIndex) -> StepDetail? {
    let index = detailIndices[Int(step)]
    return index < 0 ? nil : details[Int(index)]
  }

  /// The action of a step.
  func action(of step: StepIndex) -> RegisteredAction { actions[Int(actionIndices[Int(step)])] }
}

/// What a step has beyond its action.
struct StepDetail: Sendable {
  var inputs: PreparedObject
  var condition: Expression?
  var enabled: Expression?
  var deferral: Expression?
  var environment: PreparedObject

  init(_ step: Step) throws(ExpressionError) {
    inputs = try PreparedObject(step.with)
    let options = step.options
    condition = try options.condition.map { text throws(ExpressionError) in try Expression.condition(text).expression }
    if case .expression(let text) = options.enabled { enabled = try Expression.condition(text).expression }
    if case .expression(let text) = options.deferral { deferral = try Expression.condition(text).expression }
    environment = try PreparedObject(options.environment)
  }

  /// Whether there is nothing in it, so that it need not be kept.
  var isPlain: Bool {
    inputs.literal?.isEmpty == true && condition == nil && enabled == nil && deferral == nil
      && environment.literal?.isEmpty == true
  }
}

/// An object whose strings may hold expressions, parsed.
struct PreparedObject: Sendable {
  /// The object as it is, when nothing in it needs evaluating.
  let literal: ValueObject?
  private let members: [(key: String, value: PreparedValue)]

  init(_ object: ValueObject) throws(ExpressionError) {
    var members: [(key: String, value: PreparedValue)] = []
    var isLiteral = true
    for (key, value) in object {
      let prepared = try PreparedValue(value)
      if case .literal = prepared {} else { isLiteral = false }
      members.append((key, prepared))
    }
    literal = isLiteral ? object : nil
    self.members = isLiteral ? [] : members
  }

  func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> ValueObject {
    if let literal { return literal }
    var object = ValueObject()
    for (key, value) in members { object[key] = try value.evaluate(in: context) }
    return object
  }
}

/// A value whose strings may hold expressions, parsed.
indirect enum PreparedValue: Sendable {
  case literal(Value)
  case template(Template)
  case array([PreparedValue])
  case object([(String, PreparedValue)])

  init(_ value: Value) throws(ExpressionError) {
    switch value {
    case .string(let text) where Template.containsExpression(text):
      self = .template(try Template(parsing: text))
    case .array(let values):
      var prepared: [PreparedValue] = []
      for value in values { prepared.append(try PreparedValue(value)) }
      self = prepared.allSatisfy(\.isLiteral) ? .literal(value) : .array(prepared)
    case .object(let members):
      var prepared: [(String, PreparedValue)] = []
      for (key, value) in members { prepared.append((key, try PreparedValue(value))) }
      self = prepared.allSatisfy(\.1.isLiteral) ? .literal(value) : .object(prepared)
    default:
      self = .literal(value)
    }
  }

  private var isLiteral: Bool { if case .literal = self { true } else { false } }

  func evaluate(in context: some ExpressionContext) throws(ExpressionError) -> Value {
    switch self {
    case .literal(let value): return value
    case .template(let template): return try template.evaluate(in: context)
    case .array(let values):
      var evaluated: [Value] = []
      for value in values { evaluated.append(try value.evaluate(in: context)) }
      return .array(evaluated)
    case .object(let members):
      var object = ValueObject()
      for (key, value) in members { object[key] = try value.evaluate(in: context) }
      return .object(object)
    }
  }
}

/// A length of time that an expression may give.
enum PreparedDuration: Sendable {
  case literal(Duration)
  case template(Template, source: String)

  init(_ source: DurationSource) throws(ExpressionError) {
    switch source {
    case .literal(let duration): self = .literal(duration)
    case .expression(let text): self = .template(try Template(parsing: text), source: text)
    }
  }

  /// The length; throws a ``PreparedWorkflow/Problem`` when what the expression gives is none.
  func evaluate(in context: some ExpressionContext) throws(PreparedWorkflow.Problem) -> Duration {
    switch self {
    case .literal(let duration): return duration
    case .template(let template, let source):
      let value: Value
      do throws(ExpressionError) {
        value = try template.evaluate(in: context)
      } catch {
        throw PreparedWorkflow.Problem(step: nil, message: "deadline \(source): \(error.description)")
      }
      guard case .string(let text) = value else {
        throw PreparedWorkflow.Problem(
          step: nil, message: "deadline \(source): expected a duration such as 2s, found \(value.shortText)")
      }
      do throws(DurationText.Problem) {
        return try DurationText.parse(text)
      } catch {
        throw PreparedWorkflow.Problem(step: nil, message: "deadline \(source): \(error.help)")
      }
    }
  }
}

extension Expression {
  /// The status functions it names, as the plan counts them.
  package var statusFunctionSet: StepFacts.StatusFunctions {
    var set: StepFacts.StatusFunctions = []
    for function in statusFunctions {
      switch function {
      case .success: set.insert(.success)
      case .failure: set.insert(.failure)
      case .cancelled: set.insert(.cancelled)
      case .always: set.insert(.always)
      }
    }
    return set
  }
}
