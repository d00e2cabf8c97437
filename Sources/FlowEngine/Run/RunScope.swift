import FlowExpressions
import FlowModel
import Synchronization

/// The contexts of an expression: a copy of the run's state at one instant.
struct RunScope: ExpressionContext {
  var plan: Plan
  var outputs: [StepIndex: ValueObject]
  /// The products of steps as lists of paths, if expressions read them.
  var products: [StepIndex: Value] = [:]
  var inputs: ValueObject
  /// The variables of the file, including its `env-file`.
  var environment: ValueObject
  /// The variables of the step, which override the file's. Nil if it has none, or if they are being evaluated.
  var own: PreparedObject?
  /// The variables of this process, which the file's override, or nil if there are none.
  var inherited: InheritedVariables?
  /// The variables of this process that are not read, because they contain secrets.
  var withheld: Set<String> = []
  var secrets: ValueObject
  var launch: Launch?
  var run: ValueObject
  /// The step whose `if` or inputs are evaluated, or nil for the workflow's own `outputs`, `enabled` and so on.
  var step: StepIndex?
  /// The index of each step id. All scopes of a run share it.
  var stepIndices: StepNames
  /// The post for which an action is called, or nil if this is not a call.
  var post: EventPost?
  /// The values of posted events.
  var eventValues = EventValues()
  /// The item whose expressions are evaluated, or nil.
  var item: ItemScope?
  /// The common prefix of the visible steps' ids: those of the same file.
  var prefix = ""

  func value(named name: String) -> Value? {
    switch name {
    case "inputs": .object(inputs)
    case "env": .object(statedVariables)
    case "secrets": .object(secrets)
    case "run": .object(step.flatMap { plan.isFinal($0) ? runSoFar($0) : nil } ?? run)
    case "launch":
      launch.map {
        ["reason": .string($0.reason.rawValue), "options": .object($0.options), "first": .boolean($0.isFirst)]
      } ?? .null
    case "gate": ["outcome": plan.gate.outcome.map { .string($0.word) } ?? .null]
    case "steps": .object(allSteps)
    case ItemContext.item: item?.value ?? .null
    case ItemContext.index: item.map { .integer($0.index) } ?? .null
    case ItemContext.key: item?.key.map { .string($0) } ?? .null
    case "event": post.map { value(of: $0) } ?? .null
    case "events": .object(allEvents)
    default: nil
    }
  }

  /// The run as a step of `finally` sees it. In an included workflow, it covers only that workflow.
  private func runSoFar(_ step: StepIndex) -> ValueObject {
    var run = run
    run["conclusion"] = .string(plan.conclusionSoFar(for: step).rawValue)
    let timeout: [Value] =
      plan.hasTimedOut
      ? [["code": .string(RunReport.timedOut), "message": .string(plan.graph.workflow.timeoutMessage)]] : []
    run["failures"] = .array(
      timeout
        + plan.failedSteps.compactMap { step in
          let (failure, id) = (plan[step].failure, plan.graph.workflow.steps[Int(step)].id.text)
          guard id.hasPrefix(prefix) else { return nil }
          return [
            "step": .string(String(id.dropFirst(prefix.count))),
            "code": .string(failure?.code ?? Outcome.timedOut.word),
            "message": .string(failure?.message ?? "it took longer than its deadline"),
          ]
        })
    return run
  }

  /// A post as expressions see it.
  func value(of post: EventPost) -> Value {
    let at = post.atNanoseconds - (plan.activatedAtNanoseconds ?? 0)
    var object: ValueObject = ["name": .string(post.event), "number": .integer(post.number), "at": .milliseconds(at)]
    let value = eventValues.value(of: post.event, number: post.number)
    if !value.isNull { object["value"] = value }
    return .object(object)
  }

  /// The events that were posted with a value, by their names in the file.
  private var allEvents: ValueObject {
    var object = ValueObject()
    for event in eventValues.events {
      let name = isOwn(event) ? String(event.dropFirst(prefix.count)) : event
      object[name] = ["value": eventValues.last(of: event)]
    }
    return object
  }

  /// The variables of the file and the step, without those of this process.
  private var statedVariables: ValueObject {
    guard let own, let stated = try? variables(own) else { return environment }
    var all = environment
    for (name, value) in stated { all[name] = value }
    return all
  }

  /// Evaluates a step's variables, which may refer to the scope's.
  func variables(_ stated: PreparedObject) throws(ExpressionError) -> ValueObject {
    if let literal = stated.literal { return literal }
    var outer = self
    outer.own = nil
    return try stated.evaluate(in: outer)
  }

  /// A variable as the step's commands receive it. Expressions compare keys without case, variables do not, so another
  /// spelling is only used if the exact name does not exist.
  private func variable(_ name: String) -> Value {
    if let value = own?.member(name, ignoresCase: false) { return evaluated(value) }
    if let value = environment[name] { return value }
    if !withheld.contains(name), let value = inherited?[name], !value.isNull { return value }
    if let value = own?.member(name, ignoresCase: true) { return evaluated(value) }
    return environment.first { $0.key.lowercased() == name.lowercased() }?.value ?? .null
  }

  private func evaluated(_ value: PreparedValue) -> Value {
    if value.references.contains(where: { $0.name.lowercased() == "secrets" }) { return .null }
    var outer = self
    outer.own = nil
    // A step whose variables cannot be evaluated fails (`environmentProblem`).
    return (try? value.evaluate(in: outer)) ?? .null
  }

  func member(_ key: String, of name: String) -> ContextMember {
    if name == "env" { return .value(variable(key)) }
    guard name == "steps" else { return .inWhole }
    guard let index = stepIndices[prefix.isEmpty ? key : prefix + key] else { return .missing }
    return .value(.object(reading(of: index)))
  }

  func status(_ function: StatusFunction) -> Bool {
    guard let step else { return function == .success || function == .always }
    let functions = plan.status(of: step)
    switch function {
    case .success: return functions.contains(.success)
    case .failure: return functions.contains(.failure)
    case .cancelled: return functions.contains(.cancelled)
    case .always: return true
    }
  }

  private func reading(of index: StepIndex) -> ValueObject {
    let reading = plan[index]
    return [
      "outputs": .object(outputs[index] ?? [:]),
      "products": products[index] ?? [],
      "outcome": reading.outcome.map { .string($0.word) } ?? .null,
      "conclusion": reading.conclusion.map { .string($0.word) } ?? .null,
    ]
  }

  private func isOwn(_ id: String) -> Bool { id.hasPrefix(prefix) && !id.dropFirst(prefix.count).contains("/") }

  private var allSteps: ValueObject {
    var object = ValueObject()
    for (index, step) in plan.graph.workflow.steps.enumerated() where isOwn(step.id.text) {
      object[String(step.id.text.dropFirst(prefix.count))] = .object(reading(of: StepIndex(index)))
    }
    return object
  }
}

extension Workflow {
  /// The message for a run that exceeded its timeout.
  var timeoutMessage: String {
    "the run took longer than its timeout of \(timeout.map(DurationText.format) ?? "") and was ended"
  }
}

/// The steps of a workflow by id, without regard to case, for expressions. The table is created on first use, because
/// many workflows do not need it.
final class StepNames: Sendable {
  private let workflow: Workflow
  private let indices = Mutex<[String: StepIndex]?>(nil)

  init(_ workflow: Workflow) { self.workflow = workflow }

  subscript(id: String) -> StepIndex? {
    indices.withLock { table in
      let known =
        table
        ?? Dictionary(
          workflow.steps.enumerated().map { ($1.id.text, StepIndex($0)) }, uniquingKeysWith: { first, _ in first })
      table = known
      return known[id] ?? known[id.lowercased()]
    }
  }
}
