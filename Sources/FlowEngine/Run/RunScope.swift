import FlowExpressions
import FlowModel
import Synchronization

/// The values that an expression can read: a copy of the run's state at one time.
struct RunScope: ExpressionContext {
  var plan: Plan
  var outputs: [StepIndex: ValueObject]
  /// The products of steps as lists of paths. Empty unless an expression reads them.
  var products: [StepIndex: Value] = [:]
  var inputs: ValueObject
  /// The variables of the workflow file, including those of its `env-file`.
  var environment: ValueObject
  /// The variables of the step, which override those of the file. Nil if there are none, or while these are being
  /// evaluated.
  var own: PreparedObject?
  /// The variables of this process, which have the lowest precedence, or nil if they must not be read.
  var inherited: InheritedVariables?
  /// The variables of this process that contain secrets, which expressions cannot read.
  var withheld: Set<String> = []
  var secrets: ValueObject
  var launch: Launch?
  var run: ValueObject
  /// The step that the expression belongs to, or nil for an expression of the workflow, such as an output.
  var step: StepIndex?
  var stepIndices: StepNames
  /// The post that an action is called for, or nil outside of such calls.
  var post: EventPost?
  /// The values of posted events.
  var eventValues = EventValues()
  /// The item for which the expression is evaluated, or nil if there is none.
  var item: ItemScope?
  /// The prefix of the steps that the expression can read. They are those of the same file.
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

  /// The `run` context for a step of `finally`. It covers only the steps of the same file.
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

  /// Returns the object that represents a post in expressions.
  func value(of post: EventPost) -> Value {
    let at = post.atNanoseconds - (plan.activatedAtNanoseconds ?? 0)
    var object: ValueObject = ["name": .string(post.event), "number": .integer(post.number), "at": .milliseconds(at)]
    let value = eventValues.value(of: post.event, number: post.number)
    if !value.isNull { object["value"] = value }
    return .object(object)
  }

  /// The latest values of the file's events, by name.
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

  /// Evaluates the variables of a step. Their expressions may read those of the file.
  func variables(_ stated: PreparedObject) throws(ExpressionError) -> ValueObject {
    if let literal = stated.literal { return literal }
    var outer = self
    outer.own = nil
    return try stated.evaluate(in: outer)
  }

  /// Returns a variable as the commands of the step receive it. Expressions ignore the case of names, but variables do
  /// not, so a name in another case is used only if there is no exact match.
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
    // If the variables cannot be evaluated, another check fails the step (`environmentProblem`).
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
  var timeoutMessage: String {
    "the run took longer than its timeout of \(timeout.map(DurationText.format) ?? "") and was ended"
  }
}

/// The steps of a workflow by id, ignoring case, for use by expressions. The table is created on first use, because
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
