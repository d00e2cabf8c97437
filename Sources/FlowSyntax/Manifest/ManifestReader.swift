import FlowDiagnostics
import FlowModel

/// Reads the manifest of a plugin from its parsed YAML.
struct ManifestReader: DocumentReading {
  let tree: NodeTree
  let file: String
  /// True for the interface of a built-in plugin. It does not describe a program.
  let isInterface: Bool
  var diagnostics: [Diagnostic] = []
  var nameSpan = TextSpan(at: 0)
  var actionSpans: [String: TextSpan] = [:]
  var programSpans: [TextSpan] = []

  init(tree: NodeTree, file: String, isInterface: Bool = false) {
    self.tree = tree
    self.file = file
    self.isInterface = isInterface
  }

  /// Reads the name of the plugin, and reports it if it is invalid. Returns nil only if it is not a string.
  mutating func pluginName(_ node: NodeID) -> String? {
    guard let name = string(node, "name") else { return nil }
    nameSpan = span(node)
    checkName(name, .plugin, node)
    return name
  }

  /// Reads the manifest and reports all problems. Returns nil if a required key other than `actions` is missing or its
  /// value is invalid.
  mutating func read() -> PluginManifest? {
    guard let root = tree.root else {
      report(
        .emptyDocument, "the file does not contain a manifest", at: TextSpan(at: 0),
        help: "a manifest has 'name', 'version', 'protocol', 'command' or 'source', and 'actions'")
      return nil
    }
    var members: [ManifestKey: MemberCursor.Member] = [:]
    forEachKey(of: root, KeyTable<ManifestKey>(), owner: "the manifest", location: root) { _, key, member in
      members[key] = member
    }
    guard tree.kind(root) == .mapping else { return nil }
    let name = members[.name].flatMap { pluginName($0.value) }
    let version = members[.version].flatMap { string($0.value, "version") }
    let protocolVersion = members[.protocol].flatMap { self.protocolVersion($0.value) }
    let summary = members[.description].flatMap { string($0.value, "description") } ?? ""
    let environment = members[.env].map { names($0.value, "env") } ?? []
    let executor = members[.executor].flatMap { self.executor($0) }
    // A plugin that only provides an executor needs no program for actions.
    let isExecutorAlone =
      members[.executor] != nil && members[.command] == nil && members[.source] == nil && members[.actions] == nil
    let program = isExecutorAlone ? executor.map { .command($0.command) } : program(members, root)
    if members[.actions] == nil, !isExecutorAlone {
      report(
        .missingKey, "the manifest lacks the key 'actions'", at: span(root).part(0, 0),
        help: "'actions' declares what the plugin's program does")
    }
    let actions = members[.actions].map { self.actions($0.value, plugin: name) } ?? []
    guard let name, let version, let protocolVersion, let program else { return nil }
    return PluginManifest(
      name: name, version: version, protocolVersion: protocolVersion, program: program, environment: environment,
      actions: actions, executor: executor, summary: summary)
  }

  private mutating func executor(_ member: MemberCursor.Member) -> PluginManifest.Executor? {
    var executor = PluginManifest.Executor(command: [], places: [])
    forEachKey(
      of: member.value, KeyTable<ManifestExecutorKey>(), owner: "executor", location: member.key
    ) { reader, key, entry in
      let words = reader.names(entry.value, .text("the \(key.rawValue) of executor"))
      switch key {
      case .command:
        executor.command = words
        // If the plugin has no program for actions, problems with the executor's program are located at these words.
        let isList = reader.tree.kind(entry.value) == .sequence
        reader.programSpans = (isList ? reader.tree.elements(entry.value) : [entry.value]).map(reader.span)
      case .places: executor.places = words
      }
    }
    if !executor.command.isEmpty, !executor.command.contains("{worker}"), !executor.command.contains("{worker-line}") {
      report(
        .missingKey, "the command of executor does not start a worker: it lacks {worker} or {worker-line}",
        at: span(member.key),
        help: "write {worker} for the arguments of the worker, {worker-line} for a line that a shell reads"
      )
    }
    return executor.command.isEmpty || executor.places.isEmpty ? nil : executor
  }

  private mutating func protocolVersion(_ node: NodeID) -> Int? {
    guard tree.kind(node) == .scalar, case .integer(let number)? = tree.scalarValue(node) else {
      reportType(node, "protocol", expected: "the number 1")
      return nil
    }
    if number != 1 {
      report(
        .unsupportedProtocol, "this flowrun does not speak protocol \(number)", at: span(node),
        help: "it speaks protocol 1")
    }
    return number
  }

  private mutating func program(
    _ members: [ManifestKey: MemberCursor.Member], _ root: NodeID
  ) -> PluginManifest.Program? {
    switch (members[.command], members[.source]) {
    case (let command?, nil):
      let words = names(command.value, "command")
      if tree.kind(command.value) == .sequence { programSpans = tree.elements(command.value).map(span) }
      if words.isEmpty, tree.kind(command.value) == .sequence, tree.elements(command.value).isEmpty {
        reportType(command.value, "command", expected: "a program with its arguments, such as [python3, plugin.py]")
      }
      return words.isEmpty ? nil : .command(words)
    case (nil, let source?):
      guard let path = string(source.value, "source") else { return nil }
      programSpans = [span(source.value)]
      if path.utf8.first == UInt8(ascii: "/") || path.pathParts.contains("..") || !path.hasSuffix(".swift") {
        report(
          .invalidName, "source must be a Swift file in the plugin's own folder, found '\(path)'",
          at: span(source.value), help: "write 'source: main.swift'")
      }
      return .source(path)
    case (let command?, let source?):
      report(
        .conflictingKeys, "a manifest has 'command' or 'source', not both", at: span(source.key),
        related: [.init(span(command.key), "the command is here")])
      return nil
    case (nil, nil):
      report(
        .missingKey, "the manifest lacks the key 'command' or 'source'", at: span(root).part(0, 0),
        help: "'command' is the program with its arguments, 'source' a Swift file that flowrun compiles")
      return nil
    }
  }

  /// Reads a list of strings. A number is not a string unless it is quoted.
  mutating func names(_ node: NodeID, _ owner: Owner) -> [String] {
    guard tree.kind(node) == .sequence else {
      reportType(node, owner, expected: "a list of strings")
      return []
    }
    return tree.elements(node).compactMap { string($0, .part("each element", of: owner)) }
  }

  mutating func actions(_ node: NodeID, plugin: String?) -> [PluginManifest.Action] {
    guard tree.kind(node) == .mapping else {
      reportType(node, "actions", expected: "a mapping from full name to action")
      return []
    }
    var result: [PluginManifest.Action] = []
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard let name = keyText(member.key) else { continue }
      guard actionSpans[name] == nil else {
        reportDuplicate(member.key, in: node)
        continue
      }
      actionSpans[name] = span(member.key)
      checkName(name, .action, member.key)
      if let plugin, NameKind.plugin.allows(plugin), NameKind.action.allows(name),
        !name.hasPrefix(plugin + ".")
      {
        report(
          .invalidName, "the action '\(name)' does not begin with its plugin's name", at: span(member.key),
          related: [.init(nameSpan, "the plugin is named here")],
          help: "write '\(plugin).\(name.split(separator: ".").last ?? "action")'")
      }
      result.append(action(name, member))
    }
    if result.isEmpty {
      report(.missingKey, "the manifest declares no action", at: span(node), help: "a plugin has at least one action")
    }
    return result
  }

  private mutating func action(_ name: String, _ member: MemberCursor.Member) -> PluginManifest.Action {
    var action = PluginManifest.Action(
      declaration: ActionDeclaration(name: name, summary: "", origin: isInterface ? nil : file), isRetryable: false)
    let owner = Owner.text("action '\(name)'")
    if isInterface {
      forEachKey(of: member.value, KeyTable<InterfaceActionKey>(), owner: owner, location: member.key) {
        reader, key, entry in
        if let key = key.manifestKey {
          reader.read(key, entry.value, of: owner, into: &action)
        } else {
          reader.takeInProcess(entry, of: owner, into: &action.declaration)
        }
      }
    } else {
      forEachKey(of: member.value, KeyTable<ManifestActionKey>(), owner: owner, location: member.key) {
        reader, key, entry in reader.read(key, entry.value, of: owner, into: &action)
      }
    }
    if action.declaration.example.isEmpty { action.declaration.example = "uses: \(name)" }
    return action
  }

  private mutating func read(
    _ key: ManifestActionKey, _ node: NodeID, of owner: Owner, into action: inout PluginManifest.Action
  ) {
    let part = Owner.part(key.rawValue, of: owner)
    switch key {
    case .summary: action.declaration.summary = string(node, part) ?? ""
    case .inputs: action.declaration.inputs = fields(node, "inputs", names: .field)
    case .outputs: action.declaration.outputs = fields(node, "outputs", names: .field)
    case .events: action.declaration.events = events(node, part)
    case .service: action.declaration.isService = boolean(node, part) ?? false
    case .protectedData: action.declaration.needsProtectedData = boolean(node, part) ?? false
    case .retryable: action.isRetryable = boolean(node, part) ?? false
    case .portable: action.declaration.isPortable = boolean(node, part) ?? false
    case .errors: action.declaration.errors = errors(node, part)
    case .example: action.declaration.example = string(node, part) ?? ""
    }
  }

  private mutating func events(_ node: NodeID, _ owner: Owner) -> [String] {
    guard tree.kind(node) == .sequence else {
      reportType(node, owner, expected: "a list of event names")
      return []
    }
    var result: [String] = []
    for element in tree.elements(node) {
      guard let name = string(element, .part("each element", of: owner)) else { continue }
      checkName(name, .event, element)
      if !result.contains(name) { result.append(name) }
    }
    return result
  }

  private mutating func errors(_ node: NodeID, _ owner: Owner) -> [ErrorDeclaration] {
    guard tree.kind(node) == .mapping else {
      reportType(node, owner, expected: "a mapping from code to error")
      return []
    }
    var result: [ErrorDeclaration] = []
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard let code = keyText(member.key) else { continue }
      guard !result.contains(where: { $0.code == code }) else {
        reportDuplicate(member.key, in: node)
        continue
      }
      checkName(code, .field, member.key)
      var summary = ""
      var isRetryable = false
      let owner = Owner.text("error '\(code)'")
      forEachKey(of: member.value, KeyTable<ManifestErrorKey>(), owner: owner, location: member.key) {
        reader, key, entry in
        switch key {
        case .summary: summary = reader.string(entry.value, .part("summary", of: owner)) ?? ""
        case .retryable: isRetryable = reader.boolean(entry.value, .part("retryable", of: owner)) ?? false
        }
      }
      result.append(ErrorDeclaration(code, summary, isRetryable: isRetryable))
    }
    return result
  }
}
