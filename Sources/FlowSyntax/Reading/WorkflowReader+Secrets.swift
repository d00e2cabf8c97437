import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads the secrets of a workflow.
extension WorkflowReader {
  /// Reads a mapping from names to sources of secrets.
  mutating func secrets(_ node: NodeID) -> [SecretDeclaration] {
    guard tree.kind(node) == .mapping else {
      reportType(
        node, "secrets", expected: "a mapping from name to source",
        help: "such as 'secrets: { token: { env: DEPLOY_TOKEN } }'")
      return []
    }
    var result: [SecretDeclaration] = []
    forEachName(of: node, .secret) { reader, name, member in
      if let secret = reader.secret(name, member) { result.append(secret) }
    }
    if result.count > Limits.secrets {
      report(
        .outOfRange, "a workflow has at most \(Limits.secrets) secrets, this one has \(result.count)", at: span(node))
    }
    return result
  }

  private mutating func secret(_ name: String, _ member: MemberCursor.Member) -> SecretDeclaration? {
    var found: [(key: SecretKey, member: MemberCursor.Member)] = []
    var isRequired = true
    let owner = Owner.text("secret '\(name)'")
    guard tree.kind(member.value) == .mapping else {
      reportType(
        member.value, owner, expected: "a mapping with 'env', 'file' or 'command'",
        help: "a workflow never contains the secret itself; write '\(name): { env: NAME }'")
      return nil
    }
    forEachKey(of: member.value, KeyTable<SecretKey>(), owner: owner, location: member.key) { reader, key, entry in
      if key == .required {
        isRequired = reader.boolean(entry.value, .part("required", of: owner)) ?? true
      } else {
        found.append((key, entry))
      }
    }
    guard let first = found.first else {
      if !diagnostics.contains(where: { $0.code == .unknownKey && $0.span.start >= span(member.key).start }) {
        report(
          .missingKey, "secret '\(name)' has no source", at: span(member.key),
          help: "write 'env: NAME', 'file: PATH' or 'command: [program, argument]'")
      }
      return nil
    }
    if found.count > 1 {
      report(
        .conflictingKeys,
        "secret '\(name)' comes from one place, not from '\(first.key.rawValue)' and "
          + "'\(found[1].key.rawValue)'", at: span(found[1].member.key),
        related: [.init(span(first.member.key), "the first one is here")], help: "remove one of the two")
    }
    return source(first.key, first.member.value, .part(first.key.rawValue, of: owner)).map {
      SecretDeclaration(name, $0, isRequired: isRequired)
    }
  }

  private mutating func source(_ key: SecretKey, _ node: NodeID, _ owner: Owner) -> SecretDeclaration.Source? {
    if key == .command {
      guard tree.kind(node) == .sequence, !tree.elements(node).isEmpty else {
        reportType(
          node, owner, expected: "a list of a program and its arguments",
          help: "such as 'command: [pass, show, deploy]'")
        return nil
      }
      let words = tree.elements(node).compactMap { string($0, .part("each word", of: owner)) }
      if words.first?.isEmpty == true { reportType(node, owner, expected: "a program and its arguments") }
      return .command(words)
    }
    guard let text = string(node, owner) else { return nil }
    let isLiteral = !Template.containsExpression(text)
    guard !text.isEmpty, !text.utf8.contains(0), key == .file || !isLiteral || !text.utf8.contains(UInt8(ascii: "="))
    else {
      reportType(node, owner, expected: key == .file ? "the path of a file" : "the name of a variable")
      return nil
    }
    return key == .file ? .file(text) : .environment(text)
  }

  /// Reports secret inputs that have a default or whose type is not string.
  mutating func checkSecretInputs(_ node: NodeID) {
    for input in workflow.inputs where input.isSecret {
      guard let declaration = tree.member(input.name, of: node)?.value,
        let location = tree.member(FieldKey.secret.rawValue, of: declaration)
      else { continue }
      if input.type != .string {
        report(
          .conflictingKeys, "a secret is a string, but the input '\(input.name)' is of another type",
          at: span(location.key),
          help: "write 'type: string', or remove 'secret'")
      } else if let value = tree.member(FieldKey.default.rawValue, of: declaration) {
        report(
          .conflictingKeys, "a workflow never contains a secret, so the input '\(input.name)' cannot have a default",
          at: span(value.key), related: [.init(span(location.key), "it is a secret")],
          help: "remove 'default', and write 'required: false' if a run can do without it")
      }
    }
  }
}
