/// The description of an action. It is data that can be read without running the action.
///
/// `validate`, `schema` and `plugins show` use it. For a built-in action it comes from the action's type, for an
/// external one from its plugin's manifest.
public struct ActionDeclaration: Sendable, Hashable {
  /// The full name, `plugin.action`. Both parts are in lower case with hyphens.
  package var name: String
  /// A one-sentence description of the action.
  package var summary: String
  /// The inputs that a step sets under `with`.
  package var inputs: [FieldDeclaration]
  /// The outputs that later steps read under `steps.<id>.outputs`.
  package var outputs: [FieldDeclaration]
  /// The name of an object input whose keys are outputs, too (`flow.set` returns its `values`), or nil.
  package var outputsFromInput: String?
  /// The events that the action may post.
  package var events: [String]
  /// The name of a string input, without expressions, that names an event to post (`flow.post` posts its `event`), or
  /// nil.
  package var eventFromInput: String?
  /// The handles that the action provides to later steps.
  package var provides: [HandleKey]
  /// The handles that the action uses. Exactly one direct or indirect dependency must provide each of them.
  package var requires: [HandleKey]
  /// True if the action reads data that is not available while the device is locked (P6).
  package var needsProtectedData: Bool
  /// True if the action continues to run after it has reported that it is ready, until it is stopped.
  package var isService: Bool
  /// The errors that the action may throw.
  package var errors: [ErrorDeclaration]
  /// The names of the inputs for the action that is called for each post of an event (`flow.on`), or nil.
  package var calls: ActionCall?
  /// The name of an object input that declares an output under each key (`outputs` of `shell.run`), or nil.
  package var outputFieldsFromInput: String?
  /// The name of an input that is run as a shell command (`command` of `shell.run`), or nil.
  package var shellTextInput: String?
  /// The maximum size of the outputs as JSON, in bytes. It exceeds ``Limits/outputBytes`` only if the action has a
  /// limit of its own.
  package var outputLimitBytes = Limits.outputBytes
  /// True if the action works the same on another machine, because it uses only its inputs, files and commands.
  package var isPortable = false
  /// Whether the effect outlives the process. If it does not, a resume repeats steps whose effect is needed.
  package var effect = ActionEffect.durable
  /// The types of the values that the action posts with events. Each field is named after its event.
  package var eventValues: [FieldDeclaration] = []
  /// The events whose posts the action receives from its start.
  package var follows: [String] = []
  /// The source of the events that a service posts.
  package var source = EventSource.run
  /// An example of a step in YAML that begins with `uses:`, not indented.
  package var example: String
  /// The path of the manifest that declares the action, or nil if it is built in.
  package var origin: String?

  /// Creates a declaration.
  package init(
    name: String, summary: String, inputs: [FieldDeclaration] = [], outputs: [FieldDeclaration] = [],
    outputsFromInput: String? = nil, events: [String] = [], eventFromInput: String? = nil,
    provides: [HandleKey] = [], requires: [HandleKey] = [], needsProtectedData: Bool = false,
    isService: Bool = false, errors: [ErrorDeclaration] = [], example: String = "", origin: String? = nil
  ) {
    self.name = name
    self.summary = summary
    self.inputs = inputs
    self.outputs = outputs
    self.outputsFromInput = outputsFromInput
    self.events = events
    self.eventFromInput = eventFromInput
    self.provides = provides
    self.requires = requires
    self.needsProtectedData = needsProtectedData
    self.isService = isService
    self.errors = errors
    self.example = example
    self.origin = origin
  }

  /// The name of the plugin: the part of ``name`` before the dot.
  package var pluginName: String { String(name.prefix { $0 != "." }) }

  /// Returns the events that a step with these inputs may post: those that the action declares, and the one that an
  /// input names.
  package func eventsPosted(with inputs: ValueObject) -> [String] {
    guard let event = eventFromInput.flatMap({ inputs[$0]?.stringValue }) else { return events }
    return events + [event]
  }

  /// Returns the outputs of a step with these inputs: those that the action declares, and those that an input declares.
  /// Invalid declarations are skipped, because the action's own check reports them.
  package func outputs(declaredBy inputs: ValueObject) -> [FieldDeclaration] {
    guard let input = outputFieldsFromInput, let declared = inputs[input]?.objectValue else { return outputs }
    return outputs + declared.compactMap { try? FieldDeclaration($0.key, declaration: $0.value) }
  }

  /// The reason why steps with this action cannot run on another machine, or nil if they can.
  package var portabilityObstacle: String? {
    if !isPortable { return "'\(name)' is not portable" }
    if isService { return "'\(name)' is a service" }
    if calls != nil { return "'\(name)' calls other actions" }
    if let key = provides.first { return "'\(name)' provides '\(key)'" }
    if let key = requires.first { return "'\(name)' requires '\(key)'" }
    if needsProtectedData { return "'\(name)' reads protected data" }
    if let field = inputs.first(where: { $0.type.readsDataFolder }) {
      return "its input '\(field.name)' is a path in the data folder"
    }
    return nil
  }

  /// Returns the declaration of an input, or nil.
  package func input(named name: String) -> FieldDeclaration? { inputs.first { $0.name == name } }

  /// Returns the declaration of an output, or nil.
  package func output(named name: String) -> FieldDeclaration? { outputs.first { $0.name == name } }
}

extension ActionDeclaration {
  /// True if the action is a command that runs as a service. It stops at the end of its file; if it ends by itself, the
  /// steps that need it are cancelled.
  package var isCommandService: Bool { isService && shellTextInput != nil }

  /// True if the `env` of a step is passed to a program: a command, or the program of an external plugin.
  package var handsOnEnvironment: Bool { shellTextInput != nil || origin != nil }
}

/// The names of the inputs for an action that is called for each post of an event.
package struct ActionCall: Sendable, Hashable {
  /// The name of the input with the event, which must be a literal.
  package var event: String
  /// The name of the input with the action, which must be a literal.
  package var action: String
  /// The name of the input with the called action's inputs. Their expressions can read the post as `event`.
  package var inputs: String

  /// Creates the names of the three inputs.
  package init(event: String, action: String, inputs: String) {
    self.event = event
    self.action = action
    self.inputs = inputs
  }
}

/// The source of the events that a service posts.
package enum EventSource: String, Sendable, Hashable, CaseIterable {
  /// Steps of the run.
  case run
  /// The outside world. On the command line, its services stop when the run is otherwise idle.
  case outside
}

/// The lifetime of an action's effect.
public enum ActionEffect: String, Sendable, Hashable, CaseIterable {
  /// The effect outlives the process, so that a resume need not repeat it.
  case durable
  /// The effect ends with the process, so that a resume repeats the step if a step that runs needs it.
  case process
}

extension ActionDeclaration {
  /// True if the effect ends with the process: the action declares that, is a service, or provides a handle.
  package var actsOnProcess: Bool { effect == .process || isService || !provides.isEmpty }
}

/// An error that an action may throw.
public struct ErrorDeclaration: Sendable, Hashable {
  /// A stable code for programs, such as `store-is-newer`.
  package var code: String
  /// The cause of the error, and what to do about it.
  package var summary: String
  /// True if another attempt may succeed. All other errors end the step immediately.
  package var isRetryable: Bool

  /// Declares an error.
  public init(_ code: String, _ summary: String, isRetryable: Bool) {
    self.code = code
    self.summary = summary
    self.isRetryable = isRetryable
  }
}

/// The name of a handle, a live object that one step provides to others, such as `database`.
public struct HandleKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The handle of an action that shows a launch screen, which stays until C9 is fulfilled.
  package static let launchScreen: HandleKey = "launch-screen"

  /// The name in declarations and messages.
  package let name: String

  /// Creates a key with this name.
  public init(_ name: String) { self.name = name }

  /// Creates a key with this name.
  public init(stringLiteral value: String) { name = value }

  /// The name.
  public var description: String { name }
}
