import FlowDiagnostics
import FlowExpressions
import FlowModel

/// The keys of a step that determine what it runs: `uses`, or `run` with its options.
struct CommandKeys {
  /// The action of a step with `run`.
  static let action = "shell.run"
  /// The action of a service with `run`.
  static let serviceAction = Step.serviceAction
  /// The action's input for the value of `run`.
  static let commandInput = "command"
  /// The action's input for the value of `shell`.
  static let shellInput = "shell"
  /// The action's input for the words after `--` on the command line.
  static let argumentsInput = "arguments"
  /// The workflow's input that receives the words after `--` on the command line.
  static let argumentsName = "args"
  /// The action's input for the working folder.
  static let folderInput = "cwd"
  /// The default shell. As flowrun starts it, it stops at the first command that fails.
  static let usualShell = "sh"

  var uses: NodeID?
  var run: MemberCursor.Member?
  var shell: MemberCursor.Member?
  var outputs: MemberCursor.Member?
  var outputLimit: MemberCursor.Member?
  var stop: MemberCursor.Member?
  var mergeOutput: MemberCursor.Member?
  var path: MemberCursor.Member?
  var interactive: MemberCursor.Member?
  var service: MemberCursor.Member?
  var readyWhen: MemberCursor.Member?
  var restart: MemberCursor.Member?

  static func isCommand(_ uses: String) -> Bool { uses == action || uses == serviceAction }
  /// True if the step has a key that only services can have.
  var isOfService: Bool { service != nil || readyWhen != nil || restart != nil }
  /// True if the step has `run` or `shell`.
  var isStated: Bool { run != nil || shell != nil }
  /// True if the step has a key that only commands can have.
  var needsCommand: Bool { mergeOutput != nil || path != nil || interactive != nil }
  /// The keys of the step that only commands can have.
  var forCommandsAlone: [MemberCursor.Member] { [mergeOutput, path, interactive].compactMap { $0 } }
}

extension WorkflowReader {
  /// Converts `run` and `shell` to an action and its inputs. Reports a step without an action.
  mutating func readCommand(
    _ keys: CommandKeys, of location: StepLocation, _ action: inout Int, _ uses: inout String, _ with: inout ValueObject
  ) {
    guard let run = keys.run else {
      if let shell = keys.shell {
        report(
          .conflictingKeys, "'shell' sets the shell of 'run', which this step does not have",
          at: span(shell.key), help: "write 'run', or remove 'shell'")
      } else if tree.kind(location.value) == .mapping {
        reportMissingAction(location)
      }
      return
    }
    if let stated = keys.uses {
      report(
        .conflictingKeys, "'run' is short for 'uses: \(CommandKeys.action)' and cannot be combined with 'uses'",
        at: span(run.key), related: [.init(span(stated), "this is the other action")],
        help: "remove one of the two, or write two steps")
      return
    }
    action = actions.indexOfCommand()
    uses = CommandKeys.action
    if with[CommandKeys.commandInput] != nil {
      report(
        .conflictingKeys, "'run' is the command, so 'with' cannot have one", at: span(run.key),
        help: "remove 'command' under 'with'")
    }
    guard let command = command(run.value, .stepKey(.run, location.key)) else { return }
    with[CommandKeys.commandInput] = command
    if case .string(let text) = command {
      if readsArguments(text) {
        with[CommandKeys.argumentsInput] = .string("${{ inputs.\(CommandKeys.argumentsName) }}")
      }
      let stated = keys.shell.flatMap { string($0.value, .stepKey(.shell, location.key)) }
      if let stated { with[CommandKeys.shellInput] = .string(stated) }
      if with[CommandKeys.shellInput] == nil {
        with[CommandKeys.shellInput] = .string(defaults.shell ?? CommandKeys.usualShell)
      }
    } else if let shell = keys.shell {
      report(
        .conflictingKeys, "a command that is a list bypasses the shell", at: span(shell.key),
        help: "remove 'shell', or write the command as a string")
    }
  }

  /// True if a command uses the words after `--`: it reads positional parameters, and the workflow declares `args`.
  /// Other commands do not receive the words, because they would run again whenever the words change.
  private func readsArguments(_ text: String) -> Bool {
    guard workflow.inputs.contains(where: { $0.name == CommandKeys.argumentsName && $0.type == .array(of: .string) })
    else { return false }
    if text.lowercased().firstRange(of: "argv") != nil || text.firstRange(of: "getopts") != nil { return true }
    var rest = Substring(text)
    while let dollar = rest.firstIndex(of: "$") {
      rest = rest[rest.index(after: dollar)...]
      let name = rest.first == "{" ? rest.dropFirst().drop { $0 == "#" || $0 == "!" } : rest
      if let first = name.first, "@*#".contains(first) || "1"..."9" ~= first { return true }
      if rest.hasPrefix("{#}") { return true }
    }
    return false
  }

  /// Applies the file's default folder and search path to a command, and converts its `merge-output`, `path` and
  /// `interactive` to inputs. Reports these keys on a step that does not run a command.
  mutating func readCommandOptions(
    _ keys: CommandKeys, of location: StepLocation, _ uses: String, _ with: inout ValueObject
  ) {
    guard CommandKeys.isCommand(uses) else {
      for member in keys.needsCommand && !uses.isEmpty ? keys.forCommandsAlone : [] {
        let name = tree.keyName(member.key)
        report(
          .conflictingKeys, "'\(uses)' does not run a command, so the step cannot have '\(name)'", at: span(member.key),
          help: "remove '\(name)'")
      }
      return
    }
    if let node = tree.member(StepKey.with.rawValue, of: location.value)?.value,
      let environment = tree.member(StepKey.env.rawValue, of: node)?.value
    {
      keepSpelling(of: environment, in: &with)
    }
    if let folder = defaults.folder, with[CommandKeys.folderInput] == nil {
      with[CommandKeys.folderInput] = .string(folder)
    }
    for member in keys.forCommandsAlone where with[tree.keyName(member.key)] != nil {
      let name = tree.keyName(member.key)
      report(
        .conflictingKeys, "'\(name)' appears on the step and under 'with'", at: span(member.key),
        help: "remove it under 'with'")
    }
    if let member = keys.mergeOutput, boolean(member.value, .stepKey(.mergeOutput, location.key)) == true {
      with[StepKey.mergeOutput.rawValue] = .boolean(true)
    }
    if let member = keys.interactive, uses == CommandKeys.action,
      boolean(member.value, .stepKey(.interactive, location.key)) == true
    {
      with[StepKey.interactive.rawValue] = .boolean(true)
    }
    let own = keys.path.map { folders($0.value, .stepKey(.path, location.key)) } ?? []
    let all = own + searchFolders
    if !all.isEmpty, with[StepKey.path.rawValue] == nil || keys.path != nil {
      with[StepKey.path.rawValue] = .array(all.map { .string($0) })
    }
  }

  /// Restores the spelling of numbers and Booleans in a command's variables, as is done for the `env` of a step.
  private mutating func keepSpelling(of environment: NodeID, in with: inout ValueObject) {
    guard tree.kind(environment) == .mapping, var variables = with[StepKey.env.rawValue]?.objectValue else { return }
    var ignored: [Diagnostic] = []
    var members = tree.members(of: environment, failures: &ignored)
    while let member = members.next(in: tree) {
      guard let name = tree.text(of: member.key), tree.kind(member.value) == .scalar else { continue }
      switch variables[name] {
      case .integer?, .number?, .boolean?: variables[name] = .string(tree.text(member.value))
      default: break
      }
    }
    with[StepKey.env.rawValue] = .object(variables)
  }

  /// Reads the list of folders in `path`.
  mutating func folders(_ node: NodeID, _ owner: Owner) -> [String] {
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(
        node, owner, expected: "a list of at least one folder", help: "such as 'path: [tools, node_modules/.bin]'")
      return []
    }
    return tree.elements(node).compactMap { element in
      guard let folder = literal(element, .part("each folder", of: owner)) else { return nil }
      if folder.utf8.contains(where: { $0 == UInt8(ascii: ":") || $0 == 0 }) {
        reportType(element, .part("each folder", of: owner), expected: "the path of a folder without ':'")
        return nil
      }
      return folder
    }
  }

  /// Reads a string. Reports an empty string, and one that contains an expression.
  mutating func literal(_ node: NodeID, _ owner: Owner) -> String? {
    guard let text = string(node, owner) else { return nil }
    guard !text.isEmpty else {
      reportType(node, owner, expected: "a string that is not empty")
      return nil
    }
    if Template.containsExpression(text) {
      report(
        .contextUnavailable, "\(owner.text(in: tree)) cannot hold an expression", at: span(node),
        help: "write a literal")
      return nil
    }
    return text
  }

  /// Converts `outputs` to the action's input that declares outputs.
  mutating func readOutputs(
    _ member: MemberCursor.Member, of location: StepLocation, _ action: Int, _ with: inout ValueObject
  ) {
    let owner = Owner.stepKey(.outputs, location.key)
    guard tree.kind(member.value) == .mapping else {
      return reportType(
        member.value, owner, expected: "a mapping from name to declaration",
        help: "such as 'outputs: { version: { type: string } }'")
    }
    let fields = fields(member.value, "\(tree.keyName(location.key)).outputs", names: .output)
    // Actions that are not installed are reported elsewhere.
    guard action >= 0, actions.entries[action].declaration != nil || IncludeLibrary.isFile(actions.entries[action].name)
    else { return }
    guard let input = actions.entries[action].declaration?.outputFieldsFromInput else {
      return report(
        .conflictingKeys, "'\(actions.entries[action].name)' declares its own outputs",
        at: span(member.key), help: "remove 'outputs'; only a step that runs a command declares outputs")
    }
    if with[input] != nil {
      report(
        .conflictingKeys, "'outputs' appears on the step and under 'with'", at: span(member.key),
        help: "remove it under 'with'")
    }
    with[input] = .object(ValueObject(fields.map { ($0.name, .object(declaration(of: $0, in: member.value))) }))
  }

  /// Converts `output-limit` to the action's input with the same meaning.
  mutating func readOutputLimit(
    _ member: MemberCursor.Member, of location: StepLocation, _ action: Int, _ with: inout ValueObject
  ) {
    let owner = Owner.stepKey(.outputLimit, location.key)
    let input = StepKey.outputLimit.rawValue
    guard let text = size(member.value, Limits.leastCommandOutputBytes...Limits.commandOutputBytes, owner),
      action >= 0, let declaration = actions.entries[action].declaration
    else { return }
    guard declaration.input(named: input) != nil else {
      return report(
        .conflictingKeys, "'\(declaration.name)' has no standard output to limit", at: span(member.key),
        help: "remove '\(input)'; only a step that runs a command has it")
    }
    if with[input] != nil {
      report(
        .conflictingKeys, "'\(input)' appears on the step and under 'with'", at: span(member.key),
        help: "remove it under 'with'")
    }
    with[input] = .string(text)
  }

  /// Returns a field's declaration as the value of an input, where expressions would be evaluated. A description with
  /// an expression is left out. If another part contains an expression, reports it, and returns the declaration of a
  /// field of any type.
  private mutating func declaration(of field: FieldDeclaration, in node: NodeID) -> ValueObject {
    var field = field
    if Template.containsExpression(field.summary) { field.summary = "" }
    guard Value.object(field.declaration).containsExpression else { return field.declaration }
    report(
      .contextUnavailable, "the declaration of the output '\(field.name)' cannot hold an expression",
      at: span(tree.member(field.name, of: node)?.value ?? node),
      help: "write a literal, or '… || a default' where it is read")
    return FieldDeclaration(field.name, .any).declaration
  }

  /// Reads a command: a string for a shell, or a list of a program and its arguments.
  private mutating func command(_ node: NodeID, _ owner: Owner) -> Value? {
    let expected = "a command: a text, or a list of a program and its arguments"
    let help = "write 'run: make test', or 'run: [make, test]'"
    switch tree.kind(node) {
    case .sequence where !tree.elements(node).isEmpty:
      var words: [Value] = []
      for element in tree.elements(node) {
        guard let word = string(element, .part("each word", of: owner)) else { return nil }
        words.append(.string(word))
      }
      return .array(words)
    case .scalar where isString(node):
      let text = tree.text(node)
      if text.contains(where: { !$0.isWhitespace }) { return .string(text) }
      reportType(node, owner, expected: expected, help: help)
    default: reportType(node, owner, expected: expected, help: help)
    }
    return nil
  }

  private mutating func reportMissingAction(_ location: StepLocation) {
    let isGroup = tree.member(StepKey.needs.rawValue, of: location.value) != nil
    report(
      .missingKey, "\(Owner.step(location.key).text(in: tree)) lacks the key 'uses'",
      at: tree.nodes[location.key].kind == .scalar ? span(location.key) : TextSpan(at: span(location.key).start),
      help: "'uses': \(StepKey.uses.summary)" + (isGroup ? "; 'uses: flow.noop' only waits for its dependencies" : ""))
  }
}
