import FlowDiagnostics
import FlowModel

/// The interface of a built-in plugin, read from its `*.plugin.yaml`. It allows checking workflows without the plugin
/// itself.
package struct PluginInterface: Sendable {
  /// The name of the plugin, which is the prefix of its actions' names.
  package var name: String
  /// A description of the plugin, or an empty string.
  package var summary: String
  /// The handles that the plugin provides to every run.
  package var handles: [HandleKey]
  /// The actions of the plugin, in file order.
  package var actions: [ActionDeclaration]
}

/// Reads the interface of a built-in plugin, and reports all errors in it.
package struct PluginInterfaceLoader: Sendable {
  /// The outcome of reading an interface.
  package struct Result: Sendable {
    /// The interface, or nil if there is an error.
    package let interface: PluginInterface?
    /// All diagnostics, sorted by location.
    package let diagnostics: [Diagnostic]
    /// The file's name and text.
    package let source: SourceText
    /// The location of the plugin's name in the file.
    package let nameSpan: TextSpan
  }

  package init() {}

  /// Reads an interface. `file` is its name in messages.
  package func load(bytes: [UInt8], file: String) -> Result {
    let source = SourceText(bytes, file: file)
    switch YAMLParser.parse(source) {
    case .failure(let failure):
      return Result(interface: nil, diagnostics: [failure.diagnostic], source: source, nameSpan: TextSpan(at: 0))
    case .success(let tree):
      var reader = ManifestReader(tree: tree, file: file, isInterface: true)
      let interface = reader.readInterface()
      let diagnostics = reader.diagnostics.uniqueByLocation()
      return Result(
        interface: diagnostics.containsError ? nil : interface, diagnostics: diagnostics, source: source,
        nameSpan: reader.nameSpan)
    }
  }
}

extension ManifestReader {
  /// Reads the interface and reports all problems. Returns nil if a required key is missing or its value is invalid.
  mutating func readInterface() -> PluginInterface? {
    guard let root = tree.root else {
      report(
        .emptyDocument, "the file does not contain the interface of a plugin", at: TextSpan(at: 0),
        help: "an interface has 'name' and 'actions'")
      return nil
    }
    var members: [InterfaceKey: MemberCursor.Member] = [:]
    forEachKey(of: root, KeyTable<InterfaceKey>(), owner: "the interface", location: root) { _, key, member in
      members[key] = member
    }
    guard tree.kind(root) == .mapping else { return nil }
    let name = members[.name].flatMap { pluginName($0.value) }
    let summary = members[.description].flatMap { string($0.value, "description") } ?? ""
    let handles = members[.handles].map { names($0.value, "handles") } ?? []
    let actions = members[.actions].map { self.actions($0.value, plugin: name) } ?? []
    guard let name else { return nil }
    return PluginInterface(
      name: name, summary: summary, handles: handles.map { HandleKey($0) }, actions: actions.map(\.declaration))
  }

  /// Reads the keys that only actions of built-in plugins can have, because these run in the same process.
  mutating func takeInProcess(
    _ member: MemberCursor.Member, of owner: Owner, into declaration: inout ActionDeclaration
  ) {
    forEachKey(
      of: member.value, KeyTable<InProcessKey>(), owner: .part("in-process", of: owner), location: member.key
    ) { reader, key, entry in
      let node = entry.value
      let part = Owner.part(key.rawValue, of: owner)
      switch key {
      case .provides: declaration.provides = reader.names(node, part).map { HandleKey($0) }
      case .requires: declaration.requires = reader.names(node, part).map { HandleKey($0) }
      case .effect: declaration.effect = reader.word(node, part) ?? .durable
      case .outputsFrom: declaration.outputsFromInput = reader.string(node, part)
      case .fieldsFrom: declaration.outputFieldsFromInput = reader.string(node, part)
      case .eventFrom: declaration.eventFromInput = reader.string(node, part)
      case .shellText: declaration.shellTextInput = reader.string(node, part)
      case .outputLimit:
        if let bytes = reader.integer(node, 1...Int.max, part) { declaration.outputLimitBytes = bytes }
      case .eventValues: declaration.eventValues = reader.fields(node, "event-values", names: .event)
      case .follows: declaration.follows = reader.names(node, part)
      case .source: declaration.source = reader.word(node, part) ?? .run
      case .calls: declaration.calls = reader.call(entry, part)
      case .refusesNull:
        let names = reader.names(node, part)
        for index in declaration.inputs.indices where names.contains(declaration.inputs[index].name) {
          declaration.inputs[index].refusesNull = true
        }
      }
    }
  }

  private mutating func call(_ member: MemberCursor.Member, _ owner: Owner) -> ActionCall? {
    var inputs: [CallKey: String] = [:]
    forEachKey(of: member.value, KeyTable<CallKey>(), owner: owner, location: member.key) { reader, key, entry in
      inputs[key] = reader.string(entry.value, .part(key.rawValue, of: owner))
    }
    guard let event = inputs[.event], let action = inputs[.action], let with = inputs[.inputs] else { return nil }
    return ActionCall(event: event, action: action, inputs: with)
  }
}
