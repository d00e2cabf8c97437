import FlowModel

/// An action with declarations that only actions in this package make. A member without this conformance has no effect.
package protocol DetailedAction: ActionType {
  /// The values that the action posts with events. Each field is named after its event.
  static var eventValues: [FieldDeclaration] { get }
  /// The events that the action follows with ``ActionContext/follow(_:into:)``. They repeat even if the workflow does
  /// not declare that.
  static var follows: [String] { get }
  /// The source of the events that a service posts.
  static var source: EventSource { get }
  /// True if the action reads data that is not available while the device is locked (P6).
  static var needsProtectedData: Bool { get }
  /// The name of an object input whose keys are outputs, too, as in `flow.set`, or nil.
  static var outputsFromInput: String? { get }
  /// The name of an object input that declares an output under each key, as in `shell.run`, or nil.
  static var outputFieldsFromInput: String? { get }
  /// The name of a string input, without expressions, that names an event to post, as in `flow.post`, or nil.
  static var eventFromInput: String? { get }
  /// The name of an input that is run as a shell command, as in `shell.run`, or nil. Expressions in it are reported,
  /// because their values could be run as code.
  static var shellTextInput: String? { get }
  /// The names of the inputs for the action that is called for each post of an event, as in `flow.on`, or nil.
  static var calls: ActionCall? { get }
  /// The maximum size of the outputs as JSON, in bytes. It exceeds `Limits.outputBytes` only if the action has a limit
  /// of its own.
  static var outputLimitBytes: Int { get }

  /// Returns the problems of literal inputs that their types do not exclude. It must not have side effects.
  static func check(_ input: LiteralInput) -> [InputProblem]

  /// Returns a function that releases its thread while the action waits, or nil. Only `shell.run` has one.
  func bodyInParts() -> BodyInParts?
}

extension DetailedAction {
  /// No values.
  package static var eventValues: [FieldDeclaration] { [] }
  /// No events.
  package static var follows: [String] { [] }
  /// The run itself.
  package static var source: EventSource { .run }
  /// False.
  package static var needsProtectedData: Bool { false }
  /// Nil.
  package static var outputsFromInput: String? { nil }
  /// Nil.
  package static var outputFieldsFromInput: String? { nil }
  /// Nil.
  package static var eventFromInput: String? { nil }
  /// Nil.
  package static var shellTextInput: String? { nil }
  /// Nil.
  package static var calls: ActionCall? { nil }
  /// `Limits.outputBytes`.
  package static var outputLimitBytes: Int { Limits.outputBytes }
  /// No problems.
  package static func check(_ input: LiteralInput) -> [InputProblem] { [] }
  /// Nil, because the action does not release its thread.
  package func bodyInParts() -> BodyInParts? { nil }

  /// All of these declarations.
  package static var details: ActionDetails {
    var details = ActionDetails()
    details.eventValues = eventValues
    details.follows = follows
    details.source = source
    details.needsProtectedData = needsProtectedData
    details.outputsFromInput = outputsFromInput
    details.outputFieldsFromInput = outputFieldsFromInput
    details.eventFromInput = eventFromInput
    details.shellTextInput = shellTextInput
    details.calls = calls
    details.outputLimitBytes = outputLimitBytes
    details.check = { check($0) }
    details.bodyInParts = Self().bodyInParts()
    return details
  }
}

/// The declarations of a ``DetailedAction``, or their defaults.
///
/// They are a value that each action returns, because a cast to a protocol searches all conformances of the program
/// when it is first made.
public struct ActionDetails: Sendable {
  package var eventValues: [FieldDeclaration] = []
  package var follows: [String] = []
  package var source = EventSource.run
  package var needsProtectedData = false
  package var outputsFromInput: String?
  package var outputFieldsFromInput: String?
  package var eventFromInput: String?
  package var shellTextInput: String?
  package var calls: ActionCall?
  package var outputLimitBytes = Limits.outputBytes
  package var check: @Sendable (LiteralInput) -> [InputProblem] = { _ in [] }
  package var bodyInParts: BodyInParts?

  package init() {}
}
