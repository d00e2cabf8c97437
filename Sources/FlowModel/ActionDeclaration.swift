/// The description of an action. It can be read without running the action.
///
/// `validate`, `schema` and `plugins show` use it. For a built-in action, it comes from the action's type. For an
/// external action, it comes from the plugin's manifest.
public struct ActionDeclaration: Sendable, Hashable {
  /// The full name, `plugin.action`. Both parts are lowercase, with hyphens between words.
  package var name: String
  package var summary: String
  /// The inputs that a step sets under `with`.
  package var inputs: [FieldDeclaration]
  /// The outputs that later steps read under `steps.<id>.outputs`.
  package var outputs: [FieldDeclaration]
  /// The name of an object input whose keys are also outputs, or nil. For example, `flow.set` returns its `values`.
  package var outputsFromInput: String?
  /// The events that the action may post.
  package var events: [String]
  /// The name of a string input that names an event to post, or nil. It cannot contain expressions. For example,
  /// `flow.post` posts its `event`.
  package var eventFromInput: String?
  /// The names of the handles that the action provides to later steps.
  package var provides: [HandleKey]
  /// The names of the handles that the action uses. Exactly one direct or indirect dependency must provide each of
  /// them, unless a plugin provides it to every run.
  package var requires: [HandleKey]
  /// True if the action reads data that is unavailable while the device is locked (P6).
  package var needsProtectedData: Bool
  /// True if the action keeps running after it has reported that it is ready, until it is stopped.
  package var isService: Bool
  /// The errors that the action may throw.
  package var errors: [ErrorDeclaration]
  /// The inputs that describe a call to another action for each post of an event, or nil. For example, `flow.on` has
  /// such inputs.
  package var calls: ActionCall?
  /// The name of an object input whose keys declare outputs, or nil. For example, `shell.run` has `outputs`.
  package var outputFieldsFromInput: String?
  /// The name of an input that a shell runs as a command, or nil. For example, `shell.run` has `command`.
  package var shellTextInput: String?
  /// The maximum size of all outputs as JSON, in bytes. It exceeds ``Limits/outputBytes`` only for actions with a
  /// separate limit.
  package var outputLimitBytes = Limits.outputBytes
  /// True if the action has the same result on another machine, because it uses only its inputs, files and commands.
  package var isPortable = false
  /// The lifetime of the action's effect. If the effect ends with the process, a resumed run repeats steps whose effect
  /// is needed.
  package var effect = ActionEffect.durable
  /// The types of the values that the action posts with events. Each field has the name of its event.
  package var eventValues: [FieldDeclaration] = []
  /// The events whose posts the action receives as soon as it starts.
  package var follows: [String] = []
  /// The source of the events that a service posts.
  package var source = EventSource.run
  /// An example of a step in YAML. It begins with `uses:` and is not indented.
  package var example: String
  /// The path of the manifest that declares the action, or nil if it is built in.
  package var origin: String?

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

  /// Returns the events that a step with these inputs may post: the events in the declaration, and the event that an
  /// input names.
  package func eventsPosted(with inputs: ValueObject) -> [String] {
    guard let event = eventFromInput.flatMap({ inputs[$0]?.stringValue }) else { return events }
    return events + [event]
  }

  /// Returns the outputs of a step with these inputs: those in the action's declaration, and those that an input
  /// declares. Invalid declarations in the input are skipped, because the action's own check reports them.
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

  package func input(named name: String) -> FieldDeclaration? { inputs.first { $0.name == name } }

  package func output(named name: String) -> FieldDeclaration? { outputs.first { $0.name == name } }
}

extension ActionDeclaration {
  /// True if the action runs a command as a service. The service stops at the end of the run, or of the included file
  /// that contains its step. If it ends on its own, the steps that need it are cancelled.
  package var isCommandService: Bool { isService && shellTextInput != nil }

  /// True if a program receives the step's `env`: a command, or the program of an external plugin.
  package var handsOnEnvironment: Bool { shellTextInput != nil || origin != nil }
}

/// The names of the inputs that describe a call to another action for each post of an event.
package struct ActionCall: Sendable, Hashable {
  /// The name of the input that contains the event's name. That must be a literal.
  package var event: String
  /// The name of the input that contains the called action's name. That must be a literal.
  package var action: String
  /// The name of the input that contains the called action's inputs. Expressions in it can read the post as `event`.
  package var inputs: String

  package init(event: String, action: String, inputs: String) {
    self.event = event
    self.action = action
    self.inputs = inputs
  }
}

/// The origin of the events that a service posts.
package enum EventSource: String, Sendable, Hashable, CaseIterable {
  /// The events come from steps of the run.
  case run
  /// The events come from outside the run. On the command line, such a service stops when the run is otherwise idle.
  case outside
}

/// The lifetime of an action's effect.
public enum ActionEffect: String, Sendable, Hashable, CaseIterable {
  /// The effect outlives the process, so a resumed run need not repeat the step.
  case durable
  /// The effect ends with the process, so a resumed run repeats the step if another step that runs needs it.
  case process
}

extension ActionDeclaration {
  /// True if the effect ends with the process, because it is declared so or because the action is a service or provides
  /// a handle.
  package var actsOnProcess: Bool { effect == .process || isService || !provides.isEmpty }
}

/// An error that an action may throw.
public struct ErrorDeclaration: Sendable, Hashable {
  /// A stable code for programs, such as `store-is-newer`.
  package var code: String
  /// A description of the cause and of what to do about it.
  package var summary: String
  /// True if another attempt may succeed. If false, the step fails without another attempt, unless the reasons in its
  /// `retry` allow one.
  package var isRetryable: Bool

  /// Declares an error with its code and description.
  public init(_ code: String, _ summary: String, isRetryable: Bool) {
    self.code = code
    self.summary = summary
    self.isRetryable = isRetryable
  }
}

/// The name of a handle, such as `database`. A handle is a live object that one step provides to others.
public struct HandleKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The handle of a launch screen that is shown. The screen stays until C9 is fulfilled.
  package static let launchScreen: HandleKey = "launch-screen"

  /// The name of the handle in declarations and messages.
  package let name: String

  /// Creates a key from the name of a handle.
  public init(_ name: String) { self.name = name }

  /// Creates a key from a literal name.
  public init(stringLiteral value: String) { name = value }

  /// The name of the handle.
  public var description: String { name }
}
