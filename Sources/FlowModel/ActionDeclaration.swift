/// The description of an action as plain data, available without running it.
///
/// `validate`, `schema` and `plugins show` read it. It comes from the type of a built-in action or from a manifest.
public struct ActionDeclaration: Sendable, Hashable {
  /// `plugin.action`, both parts lower case with hyphens.
  public var name: String
  /// A one-sentence description of the action.
  public var summary: String
  /// The inputs that a step may or must set under `with`.
  public var inputs: [FieldDeclaration]
  /// The outputs that dependents may read under `steps.<id>.outputs`.
  public var outputs: [FieldDeclaration]
  /// The name of an object input whose keys become outputs as well (`flow.set` returns its `values`).
  public var outputsFromInput: String?
  /// The events that it may post.
  public var events: [String]
  /// The name of a literal string input that names an event to post (`flow.post` posts its `event`).
  public var eventFromInput: String?
  /// The handles that it provides for its dependents.
  public var provides: [HandleKey]
  /// The handles that exactly one direct or indirect dependency must provide.
  public var requires: [HandleKey]
  /// True if it reads data that is unavailable while the device is locked (P6).
  public var needsProtectedData: Bool
  /// True if it keeps running after it has reported ready, until it is stopped.
  public var isService: Bool
  /// The errors that it may end with.
  public var errors: [ErrorDeclaration]
  /// The inputs that describe the action to call for each post of an event (`flow.on`), or nil if it calls nothing.
  public var calls: ActionCall?
  /// The name of an object input that declares outputs, one per key (`outputs` of `shell.run`), or nil.
  public var outputFieldsFromInput: String?
  /// The name of an input that is run by a shell (`command` of `shell.run`), or nil.
  public var shellTextInput: String?
  /// The maximum size of its outputs as JSON: ``Limits/outputBytes``, or more if the action limits them itself.
  public var outputLimitBytes = Limits.outputBytes
  /// True if it behaves the same on another machine because it uses only its inputs, files and commands.
  public var isPortable = false
  /// The target of its effect, which decides whether a resume runs it again.
  public var effect = ActionEffect.durable
  /// The types of the values that it posts with events; each field has the name of its event.
  public var eventValues: [FieldDeclaration] = []
  /// The events whose posts it receives from its start on.
  public var follows: [String] = []
  /// The source of the events that a service posts.
  public var source = EventSource.run
  /// An example step in YAML, not indented, that begins with `uses:`.
  public var example: String
  /// The manifest that declares it, or nil if it is built in.
  public var origin: String?

  /// Creates a declaration. Omitted parts are empty.
  public init(
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

  /// The part of the name before the dot.
  public var pluginName: String { String(name.prefix { $0 != "." }) }

  /// Returns the events that a step with these inputs may post: the declared ones, and the one that an input names.
  public func eventsPosted(with inputs: ValueObject) -> [String] {
    guard let event = eventFromInput.flatMap({ inputs[$0]?.stringValue }) else { return events }
    return events + [event]
  }

  /// Returns the outputs of a step with these inputs: those of the action, and those that an input declares.
  /// Skips malformed declarations, which the action's own check reports.
  public func outputs(declaredBy inputs: ValueObject) -> [FieldDeclaration] {
    guard let input = outputFieldsFromInput, let declared = inputs[input]?.objectValue else { return outputs }
    return outputs + declared.compactMap { try? FieldDeclaration($0.key, declaration: $0.value) }
  }

  /// The reason why its steps cannot run on another machine, or nil if they can.
  public var portabilityObstacle: String? {
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

  /// The declaration of the input `name`, or nil.
  public func input(named name: String) -> FieldDeclaration? { inputs.first { $0.name == name } }

  /// The declaration of the output `name`, or nil.
  public func output(named name: String) -> FieldDeclaration? { outputs.first { $0.name == name } }
}

extension ActionDeclaration {
  /// True if it is a command that keeps running. It ends with the file that contains it, and dependents of it end with
  /// it.
  public var isCommandService: Bool { isService && shellTextInput != nil }

  /// True if the `env` of its steps reaches a program: a command, or the program of an external plugin.
  public var handsOnEnvironment: Bool { shellTextInput != nil || origin != nil }
}

/// The inputs of an action that calls another one for each post of an event.
public struct ActionCall: Sendable, Hashable {
  /// The input that names the event; a literal.
  public var event: String
  /// The input that names the action; a literal.
  public var action: String
  /// The input with the called action's inputs, whose expressions can read the post as `event`.
  public var inputs: String

  /// Creates a call from the names of the three inputs.
  public init(event: String, action: String, inputs: String) {
    self.event = event
    self.action = action
    self.inputs = inputs
  }
}

/// The source of the events that a service posts.
public enum EventSource: String, Sendable, Hashable, CaseIterable {
  /// The run itself.
  case run
  /// The outside world. On the command line, no more posts are expected once the run is otherwise idle.
  case outside
}

/// The target of an action's effect.
public enum ActionEffect: String, Sendable, Hashable, CaseIterable {
  /// Something that outlives the process: a resume does not repeat it.
  case durable
  /// The process, which is different after a resume: it is repeated if a step that runs again needs it.
  case process
}

extension ActionDeclaration {
  /// True if its effect ends with the process: it is declared so, is a service, or provides a live handle.
  public var actsOnProcess: Bool { effect == .process || isService || !provides.isEmpty }
}

/// An error that an action may end with.
public struct ErrorDeclaration: Sendable, Hashable {
  /// A stable code for programs, such as `store-is-newer`.
  public var code: String
  /// When it occurs and what to do about it.
  public var summary: String
  /// True if another attempt may succeed. Any other error ends the step at once.
  public var isRetryable: Bool

  /// Declares an error.
  public init(_ code: String, _ summary: String, isRetryable: Bool) {
    self.code = code
    self.summary = summary
    self.isRetryable = isRetryable
  }
}

/// The name of a live handle that one step provides and others use, such as `database`.
public struct HandleKey: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The handle of an action that shows a launch screen; C9 defines how long the screen stays.
  public static let launchScreen: HandleKey = "launch-screen"

  /// The name in declarations and messages.
  public let name: String

  /// Creates a key with this name.
  public init(_ name: String) { self.name = name }

  /// Creates a key with this name.
  public init(stringLiteral value: String) { name = value }

  /// The name.
  public var description: String { name }
}
