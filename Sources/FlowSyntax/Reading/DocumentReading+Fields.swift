import FlowDiagnostics
import FlowModel

/// Reads declarations of fields: inputs of a workflow, and inputs and outputs in a manifest.
extension DocumentReading {
  /// Reads a mapping from names to declarations of fields.
  mutating func fields(_ node: NodeID, _ owner: String, names: NameKind) -> [FieldDeclaration] {
    guard tree.kind(node) == .mapping else {
      reportType(node, .text(owner), expected: "a mapping from name to declaration")
      return []
    }
    var result: [FieldDeclaration] = []
    forEachName(of: node, names) { reader, name, member in
      let field = reader.field(named: name, member.value, "\(owner).\(name)", location: member.key)
      if let field { result.append(field) }
    }
    return result
  }

  /// Calls `body` for each member of a mapping whose keys are names. Reports duplicate names and invalid names.
  mutating func forEachName(
    of node: NodeID, _ kind: NameKind, _ body: (inout Self, String, MemberCursor.Member) -> Void
  ) {
    var seen: Set<ByteName> = []
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard let name = keyText(member.key) else { continue }
      guard seen.insert(ByteName(name)).inserted else {
        reportDuplicate(member.key, in: node)
        continue
      }
      checkName(name, kind, member.key)
      body(&self, name, member)
    }
  }

  /// Reports a name that is invalid for its kind.
  mutating func checkName(_ name: String, _ kind: NameKind, _ node: NodeID) {
    if !kind.allows(name) {
      report(.invalidName, "'\(name)' cannot be a name here", at: span(node), help: "a name is \(kind.rule)")
    }
  }

  /// Reads the declaration of a field. Returns nil if it is invalid.
  mutating func field(
    named name: String, _ node: NodeID, _ owner: String, location: NodeID
  ) -> FieldDeclaration? {
    var nodes: [FieldKey: NodeID] = [:]
    forEachKey(of: node, KeyTable<FieldKey>(), owner: .text(owner), location: location) { _, key, member in
      nodes[key] = member.value
    }
    return field(named: name, nodes, owner)
  }

  /// Reads the declaration of an event's value. Returns nil if it is invalid.
  mutating func eventValue(_ node: NodeID, _ owner: String, location: NodeID) -> FieldDeclaration? {
    var nodes: [FieldKey: NodeID] = [:]
    forEachKey(of: node, KeyTable<EventValueKey>(), owner: .text(owner), location: location) { _, key, member in
      nodes[key.field] = member.value
    }
    return field(named: "value", nodes, owner)
  }

  private mutating func field(named name: String, _ nodes: [FieldKey: NodeID], _ owner: String) -> FieldDeclaration? {
    guard let type = type(nodes, owner) else { return nil }
    let summary = nodes[.description].flatMap { string($0, "\(owner).description") } ?? ""
    let isRequired = nodes[.required].flatMap { boolean($0, "\(owner).required") }
    var field = FieldDeclaration(name, type, isRequired: isRequired, summary: summary)
    field.isSecret = nodes[.secret].flatMap { boolean($0, "\(owner).secret") } ?? false
    if let node = nodes[.default] {
      let value = value(node)
      if let mismatch = type.mismatch(of: value).map({ spelled($0, node) }) {
        report(
          .invalidDefault, "the default of \(owner) does not match its type: \(mismatch.description)", at: span(node),
          help: mismatch.help)
      } else {
        field.defaultValue = value
        field.isRequired = isRequired ?? false
      }
    }
    return field
  }

  private mutating func type(_ nodes: [FieldKey: NodeID], _ owner: String) -> ValueType? {
    guard let typeNode = nodes[.type], let name = string(typeNode, "\(owner).type") else { return nil }
    var (base, items, properties) = (ValueType.PathBase?.none, FieldDeclaration?.none, [FieldDeclaration]?.none)
    if name == "path" { base = nodes[.base].flatMap { word($0, "\(owner).base") } }
    if name == "array" { items = nodes[.items].flatMap { field(named: "items", $0, "\(owner).items", location: $0) } }
    if name == "object" { properties = nodes[.properties].map { fields($0, "\(owner).properties", names: .field) } }
    guard
      let type = ValueType(named: name, base: base ?? .file, items: items?.type ?? .any, properties: properties)
    else {
      let meant = ForeignKeys.types[name.lowercased()]
      reportUnknownWord(typeNode, name, among: ValueType.names, "\(owner).type", meant: meant)
      return nil
    }
    for (key, wanted) in [(FieldKey.base, "path"), (.items, "array"), (.properties, "object")] {
      if let node = nodes[key], name != wanted {
        report(.unknownKey, "'\(key.rawValue)' belongs to the type '\(wanted)', not to '\(name)'", at: span(node))
      }
    }
    guard let node = nodes[.enum] else { return type }
    guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
      reportType(node, "\(owner).enum", expected: "a list of at least one value")
      return type
    }
    var values: [Value] = []
    for element in tree.elements(node) {
      let value = value(element)
      if let mismatch = type.mismatch(of: value).map({ spelled($0, element) }) {
        report(
          .inputType, "a value of \(owner).enum does not match its type: \(mismatch.description)", at: span(element),
          help: mismatch.help)
      } else {
        values.append(value)
      }
    }
    // If a value has a wrong type, that alone is reported, and the values are not used.
    return values.count == tree.elements(node).count ? .enumeration(values, of: type) : type
  }
}
