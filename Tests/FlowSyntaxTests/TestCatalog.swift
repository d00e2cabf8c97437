import FlowModel

/// A catalog of declarations for tests. The actions cannot run.
struct TestCatalog: ActionCatalog {
  var declarations: [ActionDeclaration]
  var check: @Sendable (String, LiteralInput) -> [InputProblem] = { _, _ in [] }

  func declaration(named name: String) -> ActionDeclaration? { declarations.first { $0.name == name } }

  func problems(with input: LiteralInput, of action: String) -> [InputProblem] { check(action, input) }

  private static let followEvent: ActionDeclaration = {
    var declaration = ActionDeclaration(
      name: "flow.on", summary: "Calls an action for each post of an event",
      inputs: [
        FieldDeclaration("event", .string), FieldDeclaration("action", .string),
        FieldDeclaration("with", .object(properties: nil), default: [:]),
      ],
      isService: true)
    declaration.calls = ActionCall(event: "event", action: "action", inputs: "with")
    return declaration
  }()

  private static let runCommand: ActionDeclaration = {
    var declaration = ActionDeclaration(
      name: "shell.run", summary: "Runs a command",
      inputs: [
        FieldDeclaration("command", .any), FieldDeclaration("shell", .string, isRequired: false),
        FieldDeclaration("cwd", .path(base: .file), isRequired: false),
        FieldDeclaration("outputs", .object(properties: nil), default: [:]),
        FieldDeclaration("path", .array(of: .path(base: .file)), isRequired: false),
        FieldDeclaration("merge-output", .boolean, isRequired: false),
        FieldDeclaration("interactive", .boolean, isRequired: false),
      ],
      outputs: [FieldDeclaration("stdout", .string)])
    declaration.shellTextInput = "command"
    declaration.outputFieldsFromInput = "outputs"
    return declaration
  }()

  private static let serviceCommand: ActionDeclaration = {
    var declaration = ActionDeclaration(
      name: "shell.service", summary: "Runs a command that keeps running",
      inputs: [
        FieldDeclaration("command", .any), FieldDeclaration("shell", .string, isRequired: false),
        FieldDeclaration("cwd", .path(base: .file), isRequired: false),
        FieldDeclaration("ready-when", .object(properties: nil), isRequired: false),
        FieldDeclaration("restart", .object(properties: nil), isRequired: false),
      ],
      isService: true)
    declaration.shellTextInput = "command"
    return declaration
  }()

  /// Actions that together have every property that the loader checks.
  static let standard = TestCatalog(declarations: [
    serviceCommand,
    ActionDeclaration(name: "flow.noop", summary: "Does nothing"),
    followEvent,
    ActionDeclaration(
      name: "flow.post", summary: "Posts an event", inputs: [FieldDeclaration("event", .string)],
      eventFromInput: "event"),
    ActionDeclaration(
      name: "flow.set", summary: "Gives back its values",
      inputs: [FieldDeclaration("values", .object(properties: nil))], outputsFromInput: "values"),
    ActionDeclaration(
      name: "flow.sleep", summary: "Waits", inputs: [FieldDeclaration("for", .duration)]),
    ActionDeclaration(
      name: "geocode.prepare", summary: "Loads the tables"),
    ActionDeclaration(
      name: "keychain.read", summary: "Reads a secret", outputs: [FieldDeclaration("secret", .string)],
      needsProtectedData: true),
    ActionDeclaration(
      name: "location.request-permission", summary: "Asks for permission"),
    ActionDeclaration(
      name: "preferences.language", summary: "The user's language",
      inputs: [FieldDeclaration("override", .string, isRequired: false)],
      outputs: [FieldDeclaration("language", .string)], requires: ["database"]),
    runCommand,
    ActionDeclaration(
      name: "storage.open", summary: "Opens the store",
      inputs: [
        FieldDeclaration("path", .path(base: .data)),
        FieldDeclaration("migrations", .array(of: .string), default: []),
        FieldDeclaration("mode", .enumeration(["create", "open"], of: .string), default: "create"),
        FieldDeclaration("retries", .integer, default: 3),
      ],
      outputs: [FieldDeclaration("path", .string), FieldDeclaration("created", .boolean)], provides: ["database"]),
    ActionDeclaration(name: "sync.pull", summary: "Fetches changes", requires: ["database"]),
    ActionDeclaration(name: "ui.present", summary: "Shows the first screen", events: ["ui.ready"]),
    ActionDeclaration(name: "ui.splash", summary: "Shows the launch screen", provides: [.launchScreen]),
  ])
}
