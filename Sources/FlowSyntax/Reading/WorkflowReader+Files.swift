import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform

/// Reads the files that a step uses and produces.
extension WorkflowReader {
  /// Reads a list of paths and patterns. Each is a string or a mapping with ``FileKey``.
  ///
  /// - Parameter makes: True if the step produces the files.
  mutating func fileRules(_ node: NodeID, _ owner: Owner, makes: Bool) -> [FileRule] {
    guard tree.kind(node) == .sequence else {
      let path = tree.kind(node) == .scalar ? tree.scalarValue(node)?.stringValue : nil
      let help = path.map { "write it as a list: [\(Value.string($0).shortText)]" }
      reportType(node, owner, expected: "a list of paths", help: help ?? "such as '[src/**/*.c, Makefile]'")
      return []
    }
    if tree.elements(node).isEmpty {
      report(
        .wrongType, "\(owner.text(in: tree)) is an empty list", at: span(node),
        help: "list a path, such as '[src/**/*.c, Makefile]', or leave the key out")
    }
    var rules: [FileRule] = []
    for (index, element) in tree.elements(node).enumerated() {
      guard let (rule, text) = fileRule(element, .part("each path", of: owner), makes: makes) else { continue }
      checkPattern(rule.pattern, at: text, isFirst: index == 0, owner)
      rules.append(rule)
    }
    return rules
  }

  /// Reads the patterns in `foreach: { files: … }`, and checks each of them.
  mutating func itemFiles(_ node: NodeID, _ owner: Owner) -> [String] {
    let names = fileNames(node, owner)
    let nodes = tree.kind(node) == .sequence ? tree.elements(node) : [node]
    for (index, element) in nodes.enumerated() {
      guard let text = tree.text(of: element), !text.isEmpty else { continue }
      checkPattern(text, at: element, isFirst: index == 0, owner)
    }
    return names
  }

  /// Reads one file or pattern. Returns its rule and the node that contains its path.
  private mutating func fileRule(_ node: NodeID, _ owner: Owner, makes: Bool) -> (rule: FileRule, path: NodeID)? {
    guard tree.kind(node) == .mapping else { return path(node, owner).map { (FileRule($0), node) } }
    if let braces = braces(node) {
      reportType(node, owner, expected: "a path", help: "quote a pattern with braces: '\(braces)'")
      return nil
    }
    var rule = FileRule("")
    var location: NodeID?
    forEachKey(of: node, KeyTable<FileKey>(), owner: owner, location: node) { reader, key, member in
      switch key {
      case .path:
        guard let text = reader.path(member.value, .part(key.rawValue, of: owner)) else { return }
        (rule.pattern, location) = (text, member.value)
      case .required: rule.isRequired = reader.boolean(member.value, .part(key.rawValue, of: owner))
      case .temporary:
        rule.isTemporary = reader.boolean(member.value, .part(key.rawValue, of: owner)) ?? false
        if rule.isTemporary, !makes {
          reader.report(
            .conflictingKeys, "'temporary' can only be said of a file that the step makes",
            at: reader.tree.span(member.key), help: "write it at the step that has the file under 'produces'")
        }
      }
    }
    return location.map { (rule, $0) }
  }

  private mutating func path(_ node: NodeID, _ owner: Owner) -> String? {
    guard let text = string(node, owner) else { return nil }
    if text.isEmpty || text.utf8.contains(0) {
      reportType(node, owner, expected: "a path")
      return nil
    }
    return text
  }

  /// Returns the pattern that YAML has read as a mapping because its braces are not quoted, such as `{a,b}`. Returns
  /// nil for any other mapping.
  private func braces(_ node: NodeID) -> String? {
    var names: [String] = []
    var ignored: [Diagnostic] = []
    var members = tree.members(of: node, failures: &ignored)
    while let member = members.next(in: tree) {
      guard tree.kind(member.value) == .scalar, tree.scalarValue(member.value)?.isNull == true,
        let name = tree.text(of: member.key)
      else { return nil }
      names.append(name)
    }
    return names.isEmpty ? nil : "{" + names.joined(separator: ",") + "}"
  }

  /// Reports an invalid pattern, and an exclusion at the beginning of a list, which would exclude nothing.
  private mutating func checkPattern(_ text: String, at node: NodeID, isFirst: Bool, _ owner: Owner) {
    // The check of expressions reports a pattern with an invalid expression.
    guard let written = (try? workflow.texts.template(text))?.text({ _ in "-" }) else { return }
    let isAll = isFirst && PatternText.isExclusion(written)
    if let problem = PatternText.problem(of: written) {
      report(
        .invalidPattern, "'\(text)' in \(owner.text(in: tree)) \(problem.message)", at: span(node), help: problem.help)
    } else if isAll {
      report(
        .invalidPattern,
        "\(owner.text(in: tree)) begins with '\(text)', which excludes files of the patterns before it", at: span(node),
        help: "write the files first, as in '[\"**\", \"\(text)\"]'")
    }
  }
}
