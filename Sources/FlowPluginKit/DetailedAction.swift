import FlowModel

/// An action with additional declarations, which only actions in this package may have. Without this conformance, such
/// a declaration has no effect.
package protocol DetailedAction: ActionType {
  /// The values that the action posts with its events. Each field has the name of its event.
  static var eventValues: [FieldDeclaration] { get }
  /// The events that the action follows with ``ActionContext/follow(_:into:)``. They repeat even if the workflow does
  /// not declare them as repeating.
  static var follows: [String] { get }
  /// The source of the events that a service posts.
  static var source: EventSource { get }
  /// True if the action reads data that is not available while the device is locked (P6).
  static var needsProtectedData: Bool { get }
  /// The name of an object input whose keys also become outputs, as in `flow.set`, or nil if there is no such input.
  static var outputsFromInput: String? { get }
  /// The name of an object input in which each key declares an output, as in `shell.run`, or nil if there is no such
  /// input.
  static var outputFieldsFromInput: String? { get }
  /// The name of a string input that contains the name of an event to post, as in `flow.post`, or nil. It may not
  /// contain expressions.
  static var eventFromInput: String? { get }
  /// The name of an input that is run as a shell command, as in `shell.run`, or nil. Expressions in it are reported,
  /// because their values could be executed as code.
  static var shellTextInput: String? { get }
  /// The names of the inputs that specify the action to call for each post of an event, as in `flow.on`, or nil if the
  /// action calls none.
  static var calls: ActionCall? { get }
  /// The maximum size of the outputs as JSON, in bytes. It may exceed `Limits.outputBytes` if the action itself
  /// enforces another limit.
  static var outputLimitBytes: Int { get }

  /// Returns the problems with literal inputs that their types do not rule out. It must not have side effects.
  static func check(_ input: LiteralInput) -> [InputProblem]

  /// Returns a body that releases its thread while the action waits, or nil. Only `shell.run` has one.
  func bodyInParts() -> BodyInParts?
}

extension DetailedAction {
  package static var eventValues: [FieldDeclaration] { [] }
  package static var follows: [String] { [] }
  package static var source: EventSource { .run }
  package static var needsProtectedData: Bool { false }
  package static var outputsFromInput: String? { nil }
  package static var outputFieldsFromInput: String? { nil }
  package static var eventFromInput: String? { nil }
  package static var shellTextInput: String? { nil }
  package static var calls: ActionCall? { nil }
  package static var outputLimitBytes: Int { Limits.outputBytes }
  package static func check(_ input: LiteralInput) -> [InputProblem] { [] }
  package func bodyInParts() -> BodyInParts? { nil }

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

/// The additional declarations of a ``DetailedAction``, or their defaults.
///
/// Every action returns such a value, because a cast to the protocol would be slow: the first one searches all
/// conformances of the program.
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
