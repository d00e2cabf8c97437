import FlowExpressions
import FlowModel
import FlowPluginKit

/// What a step has beyond its action.
struct StepDetail: Sendable {
  var inputs: PreparedInputs
  var condition: Expression?
  var enabled: Expression?
  var deferral: Expression?
  var environment: PreparedObject
  /// What it calls for each post of an event.
  var call: PreparedActionCall?
  /// What it runs for.
  var fanOut: PreparedFanOut?
  /// The files that it reads and makes, where it is skipped when it is up to date; nil: it never is.
  let files: PreparedFiles?
  /// Where the paths of its inputs' defaults start: the folder of the file that declares them, named from the whole
  /// workflow's. Nil: the folder of the step's own file.
  let defaultFolder: String?

  /// - Parameter includeFolder: the folder of the file whose inputs the step binds; nil: it binds those of an action.
  init(_ step: Step, _ declaration: ActionDeclaration, includeFolder: String?) throws(ExpressionError) {
    var with = step.with
    // What is given to the called action is evaluated for each post.
    if let call = declaration.calls { with[call.inputs] = nil }
    let given = try PreparedObject(with)
    let hasDefaultPaths = declaration.inputs.contains { $0.defaultValue != nil && $0.type.holdsPaths }
    defaultFolder = hasDefaultPaths ? includeFolder : nil
    inputs = defaultFolder == nil ? PreparedInputs(given, fields: declaration.inputs) : .evaluated(given)
    let options = step.options
    files = try PreparedFiles(options)
    condition = try options.condition.map { text throws(ExpressionError) in try Expression.condition(text).expression }
    if case .expression(let text) = options.enabled { enabled = try Expression.condition(text).expression }
    if case .expression(let text) = options.deferral { deferral = try Expression.condition(text).expression }
    environment = try PreparedObject(options.environment)
    if let given = options.fanOut { fanOut = try PreparedFanOut(given, condition: condition) }
  }

  /// Whether what its items take, and their variables, read nothing but contexts of these names, in lower case.
  func itemsReadOnly(_ names: Set<String>) -> Bool {
    if case .evaluated(let object) = inputs, !object.reads(only: names) { return false }
    return environment.reads(only: names)
  }

  /// Whether the bodies of its items take nothing and may run at once.
  var hasPlainItems: Bool {
    if case .nothing = inputs, fanOut != nil, files == nil, call == nil { true } else { false }
  }

  /// Whether there is nothing in it, so that it need not be kept.
  var isPlain: Bool {
    if case .nothing = inputs {} else { return false }
    return files == nil && fanOut == nil && call == nil && condition == nil && enabled == nil && deferral == nil
      && environment.literal?.isEmpty == true
  }
}

/// The inputs of a step, as far as they are known before a run.
enum PreparedInputs: Sendable {
  case nothing
  /// Bound and checked: every attempt of every run gets the same.
  case bound(StartInputs)
  /// Bound and checked, but for paths inside, which are relative to the run's folders.
  case withPaths(ValueObject)
  /// They hold expressions, which are evaluated when the step starts.
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

/// What a step with inputs runs on.
final class StartInputs: Sendable {
  let values: ValueObject
  /// What must be looked at before the body runs; nil: nothing.
  let beforehand: Beforehand?

  /// What may keep a body from running.
  enum Beforehand: Sendable {
    /// The inputs could not be made: the step fails without running.
    case problem(StepFailure)
    /// The step may be up to date.
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

  /// Why the inputs could not be made, or nil.
  var problem: StepFailure? { if case .problem(let failure)? = beforehand { failure } else { nil } }

  /// How to tell whether the step is up to date, or nil.
  var check: UpToDateCheck? { if case .check(let check)? = beforehand { check } else { nil } }
}

extension StepFailure {
  /// What a step gives under `with` does not fit what its action takes.
  static func inputs(_ mismatch: TypeMismatch) -> StepFailure {
    let help = mismatch.help.map { "; \($0)" } ?? ""
    return StepFailure(code: "input", message: "with \(mismatch.description)\(help)")
  }
}

extension ValueType {
  /// Whether values of this type may hold paths.
  fileprivate var holdsPaths: Bool {
    switch self {
    case .path: true
    case .array(let element): element.holdsPaths
    case .object(let properties): properties?.contains { $0.type.holdsPaths } ?? false
    default: false
    }
  }
}
