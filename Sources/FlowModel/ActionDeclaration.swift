/// Everything there is to know about an action without running it, as plain data.
///
/// `validate`, `schema` and `plugins show` read it. It comes from a compiled-in action's type or from a manifest.
public struct ActionDeclaration: Sendable, Hashable {
  /// `plugin.action`, both parts lower case with hyphens.
  public var name: String
  /// One sentence: what the action does.
  public var summary: String
  /// What a step may or must give under `with`.
  public var inputs: [FieldDeclaration]
  /// What dependents may read under `steps.<id>.outputs`.
  public var outputs: [FieldDeclaration]
  /// The name of an object input whose keys are outputs too (`flow.set` returns its `values`).
  public var outputsFromInput: String?
  /// Events it may post.
  public var events: [String]
  /// The name of a string input that must be a literal and names an event it posts (`flow.post` posts its `event`).
  public var eventFromInput: String?
  /// Handles it makes for its dependents.
  public var provides: [HandleKey]
  /// Handles that one step in the closure of its needs must provide.
  public var requires: [HandleKey]
  /// Whether it reads data that is unavailable while the device is locked (P6).
  public var needsProtectedData: Bool
  /// Whether it continues after it reported ready, until it is stopped.
  public var isService: Bool
  /// The errors it may end with.
  public var errors: [ErrorDeclaration]
  /// Which of its inputs say what it calls for each post of an event (`flow.on`); nil: it calls nothing.
  public var calls: ActionCall?
  /// The name of an object input that declares outputs, a field by name (`shell.run` has its `outputs`); nil: none.
  public var outputFieldsFromInput: String?
  /// The name of an input whose text a shell reads (`shell.run` reads its `command`); nil: none.
  public var shellTextInput: String?
  /// Bytes that its outputs may have, as JSON: ``Limits/outputBytes``, or more where it bounds them itself.
  public var outputLimitBytes = Limits.outputBytes
  /// Whether it does the same on another machine: it works on its inputs, files and commands alone.
  public var isPortable = false
  /// What its work is done to, which says whether a resume must do it again.
  public var effect = ActionEffect.durable
  /// The values that it posts events with, each under the name of its event.
  public var eventValues: [FieldDeclaration] = []
  /// The events that it takes each post of from its start on.
  public var follows: [String] = []
  /// The source of the events that a service posts.
  public var source = EventSource.run
  /// An example step in YAML, indented by nothing, beginning with `uses:`.
  public var example: String
  /// The file that declares it, or nil when it is built in.
  public var origin: String?

  /// An action that takes nothing, gives nothing and needs nothing, but for what is stated.
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

  /// The events that a step may post which gives these inputs: those declared, and the one that an input names.
  public func eventsPosted(with inputs: ValueObject) -> [String] {
    guard let event = eventFromInput.flatMap({ inputs[$0]?.stringValue }) else { return events }
    return events + [event]
  }

  /// The outputs of a step that gives these inputs: those of every step of the action, and those that an input declares.
  /// Malformed declarations are left out: the action's own check reports them.
  public func outputs(declaredBy inputs: ValueObject) -> [FieldDeclaration] {
    guard let input = outputFieldsFromInput, let declared = inputs[input]?.objectValue else { return outputs }
    return outputs + declared.compactMap { try? FieldDeclaration($0.key, declaration: $0.value) }
  }

  /// Why a step of it cannot be sent to another machine; nil: it can.
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
  /// Whether it is a command that keeps running: it ends with the file that has it, and steps that need it end with it.
  public var isCommandService: Bool { isService && shellTextInput != nil }

  /// Whether the `env` of its steps reaches a program: a command, or the program of an external plugin.
  public var handsOnEnvironment: Bool { shellTextInput != nil || origin != nil }
}

/// The inputs of an action that calls another one for each post of an event.
public struct ActionCall: Sendable, Hashable {
  /// The input that names the event; a literal.
  public var event: String
  /// The input that names the action; a literal.
  public var action: String
  /// The input that holds that action's inputs, in which expressions see the post as `event`.
  public var inputs: String

  /// The names of the three inputs.
  public init(event: String, action: String, inputs: String) {
    self.event = event
    self.action = action
    self.inputs = inputs
  }
}

/// The source of the events that a service posts.
public enum EventSource: String, Sendable, Hashable, CaseIterable {
  /// From the run itself.
  case run
  /// From outside: on the command line, nothing more comes once the run is otherwise idle.
  case outside
}

/// What the work of an action is done to.
public enum ActionEffect: String, Sendable, Hashable, CaseIterable {
  /// To what outlives the process: a resume does not do it again.
  case durable
  /// To the process, which a resume does not have: it is done again if a step that runs again needs it.
  case process
}

extension ActionDeclaration {
  /// Whether what it does is gone with the process: it says so, is a service, or provides a live handle.
  public var actsOnProcess: Bool { effect == .process || isService || !provides.isEmpty }
}

/// An error that an action may end with.
public struct ErrorDeclaration: Sendable, Hashable {
  /// A stable word for programs: `store-is-newer`.
  public var code: String
  /// When it occurs and what to do about it.
  public var summary: String
  /// Whether another attempt may succeed; an error that is not retryable ends the step at once.
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
  /// What an action provides that shows a launch screen: C9 says how long a workflow with one keeps it.
  public static let launchScreen: HandleKey = "launch-screen"

  /// The word for it in declarations and messages.
  public let name: String

  /// A key of this name.
  public init(_ name: String) { self.name = name }

  /// A key of this name.
  public init(stringLiteral value: String) { name = value }

  /// The name.
  public var description: String { name }
}
