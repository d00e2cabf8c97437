import FlowExpressions
import FlowModel
import FlowPluginKit

/// The properties of a step beyond its action.
struct StepDetail: Sendable {
  var inputs: PreparedInputs
  var condition: Expression?
  var enabled: Expression?
  var deferral: Expression?
  var environment: PreparedObject
  /// The action that it calls for each post of an event.
  var call: PreparedActionCall?
  /// The items for which it runs.
  var fanOut: PreparedFanOut?
  /// The files that it reads and produces, if it can be up to date, otherwise nil.
  let files: PreparedFiles?
  /// The base folder of paths in its inputs' defaults: the folder of the file that declares them, relative to the main
  /// workflow's folder. Nil for the folder of the step's own file.
  let defaultFolder: String?

  /// - Parameter includeFolder: The folder of the file whose inputs the step binds, or nil if it binds those of an
  ///   action.
  init(_ step: Step, _ declaration: ActionDeclaration, includeFolder: String?) throws(ExpressionError) {
    var with = step.with
    // The inputs of the called action are evaluated for each post.
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

  /// True if the inputs and variables of its items only read contexts with these lower-case names.
  func itemsReadOnly(_ names: Set<String>) -> Bool {
    if case .evaluated(let object) = inputs, !object.reads(only: names) { return false }
    return environment.reads(only: names)
  }

  /// True if the bodies of its items have no inputs and may run at once.
  var hasPlainItems: Bool {
    if case .nothing = inputs, fanOut != nil, files == nil, call == nil { true } else { false }
  }

  /// True if there are no details to keep.
  var isPlain: Bool {
    if case .nothing = inputs {} else { return false }
    return files == nil && fanOut == nil && call == nil && condition == nil && enabled == nil && deferral == nil
      && environment.literal?.isEmpty == true
  }
}

/// The inputs of a step, as far as they are known before a run.
enum PreparedInputs: Sendable {
  case nothing
  /// Bound and checked: the same for every attempt of every run.
  case bound(StartInputs)
  /// Bound and checked, except for paths, which are relative to the run's folders.
  case withPaths(ValueObject)
  /// With expressions, which are evaluated when the step starts.
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

/// The inputs of a step's body.
final class StartInputs: Sendable {
  let values: ValueObject
  /// The check before the body runs, or nil if there is none.
  let beforehand: Beforehand?

  /// A reason not to run the body.
  enum Beforehand: Sendable {
    /// The inputs could not be bound: the step fails without running.
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

  /// The failure of binding the inputs, or nil.
  var problem: StepFailure? { if case .problem(let failure)? = beforehand { failure } else { nil } }

  /// The check whether the step is up to date, or nil.
  var check: UpToDateCheck? { if case .check(let check)? = beforehand { check } else { nil } }
}

extension StepFailure {
  /// The failure of a step whose `with` does not match the inputs of its action.
  static func inputs(_ mismatch: TypeMismatch) -> StepFailure {
    let help = mismatch.help.map { "; \($0)" } ?? ""
    return StepFailure(code: "input", message: "with \(mismatch.description)\(help)")
  }
}

extension ValueType {
  /// True if values of this type may contain paths.
  fileprivate var holdsPaths: Bool {
    switch self {
    case .path: true
    case .array(let element): element.holdsPaths
    case .object(let properties): properties?.contains { $0.type.holdsPaths } ?? false
    default: false
    }
  }
}
