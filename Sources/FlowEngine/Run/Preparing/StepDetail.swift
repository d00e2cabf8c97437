import FlowExpressions
import FlowModel
import FlowPluginKit

/// The options and inputs of a step, with their expressions parsed.
struct StepDetail: Sendable {
  var inputs: PreparedInputs
  var condition: Expression?
  var enabled: Expression?
  var deferral: Expression?
  var environment: PreparedObject
  /// The action that the step calls for each post of an event, or nil if it calls none.
  var call: PreparedActionCall?
  /// The `foreach` of the step, or nil if it is not a fan-out.
  var fanOut: PreparedFanOut?
  /// The files that the step reads and produces, or nil if it declares none.
  let files: PreparedFiles?
  /// The folder to which paths in the default values of the inputs are relative. It is itself relative to the folder of
  /// the main workflow. Nil if it is the folder of the step's own file.
  let defaultFolder: String?

  /// - Parameters:
  ///   - includeFolder: The folder of the included file whose inputs the step binds, or nil if it runs an action.
  ///   - texts: The parsed strings of the workflow.
  init(
    _ step: Step, _ declaration: ActionDeclaration, includeFolder: String?, _ texts: WorkflowTexts
  ) throws(ExpressionError) {
    var with = step.with
    // The inputs of the called action are evaluated separately for each post.
    if let call = declaration.calls { with[call.inputs] = nil }
    let given = try PreparedObject(with, texts)
    let hasDefaultPaths = declaration.inputs.contains { $0.defaultValue != nil && $0.type.holdsPaths }
    defaultFolder = hasDefaultPaths ? includeFolder : nil
    inputs = defaultFolder == nil ? PreparedInputs(given, fields: declaration.inputs) : .evaluated(given)
    let options = step.options
    files = try PreparedFiles(options, texts)
    condition = try options.condition.map { text throws(ExpressionError) in try texts.condition(text).expression }
    if case .expression(let text) = options.enabled { enabled = try texts.condition(text).expression }
    if case .expression(let text) = options.deferral { deferral = try texts.condition(text).expression }
    environment = try PreparedObject(options.environment, texts)
    if let given = options.fanOut { fanOut = try PreparedFanOut(given, condition: condition, texts) }
  }

  /// True if the inputs and variables of the items read no contexts except `names`, which must be in lower case.
  func itemsReadOnly(_ names: Set<String>) -> Bool {
    if case .evaluated(let object) = inputs, !object.reads(only: names) { return false }
    return environment.reads(only: names)
  }

  /// True if the items need neither inputs nor a check of files.
  var hasPlainItems: Bool {
    if case .nothing = inputs, fanOut != nil, files == nil, call == nil { true } else { false }
  }

  /// True if the step needs nothing except its action.
  var isPlain: Bool {
    if case .nothing = inputs {} else { return false }
    return files == nil && fanOut == nil && call == nil && condition == nil && enabled == nil && deferral == nil
      && environment.literal?.isEmpty == true
  }
}

/// The inputs of a step, bound as completely as is possible before a run.
enum PreparedInputs: Sendable {
  case nothing
  /// Inputs that are the same in every run.
  case bound(StartInputs)
  /// Inputs whose paths depend on the folders of the run.
  case withPaths(ValueObject)
  /// Inputs with expressions, which are evaluated when the step starts.
  case evaluated(PreparedObject)

  init(_ given: PreparedObject, fields: [FieldDeclaration]) {
    guard let literal = given.literal else {
      self = .evaluated(given)
      return
    }
    do throws(TypeMismatch) {
      let values = try InputBinding.bind(literal, to: fields)
      if values.isEmpty {
        self = .nothing
      } else if fields.contains(where: { values[$0.name] != nil && $0.type.holdsPaths }) {
        self = .withPaths(values)
      } else {
        self = .bound(StartInputs(values))
      }
    } catch {
      self = .bound(StartInputs(ValueObject(), problem: .inputs(error)))
    }
  }
}

/// The inputs of a body, and the check before the body runs.
final class StartInputs: Sendable {
  let values: ValueObject
  /// The check before the body runs, or nil if there is none.
  let beforehand: Beforehand?

  /// A reason why the body may not run.
  enum Beforehand: Sendable {
    /// The step fails, because its inputs could not be bound.
    case problem(StepFailure)
    /// The step is skipped if its inputs and products have not changed.
    case check(UpToDateCheck)
  }

  init(_ values: ValueObject, problem: StepFailure? = nil) {
    self.values = values
    beforehand = problem.map { .problem($0) }
  }

  init(_ values: ValueObject, check: UpToDateCheck) {
    self.values = values
    beforehand = .check(check)
  }

  var problem: StepFailure? { if case .problem(let failure)? = beforehand { failure } else { nil } }

  var check: UpToDateCheck? { if case .check(let check)? = beforehand { check } else { nil } }
}

extension StepFailure {
  /// Returns the failure of a step whose `with` does not match the inputs of its action.
  static func inputs(_ mismatch: TypeMismatch) -> StepFailure {
    let help = mismatch.help.map { "; \($0)" } ?? ""
    return StepFailure(code: "input", message: "with \(mismatch.description)\(help)")
  }
}

extension ValueType {
  /// True if values of this type may be or contain paths.
  fileprivate var holdsPaths: Bool {
    switch self {
    case .path: true
    case .array(let element): element.holdsPaths
    case .object(let properties): properties?.contains { $0.type.holdsPaths } ?? false
    default: false
    }
  }
}
