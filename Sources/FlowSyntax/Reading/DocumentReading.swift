import FlowDiagnostics
import FlowModel

/// The common part of all readers of documents: a parsed tree and the list of diagnostics.
protocol DocumentReading {
  var tree: NodeTree { get }
  var diagnostics: [Diagnostic] { get set }
}

extension DocumentReading {
  /// True if the maximum number of diagnostics has been reached.
  var isFull: Bool { diagnostics.count >= Limits.diagnostics }

  /// True if further diagnostics are dropped, because the maximum has been reached and one of them is an error.
  var isSettled: Bool { isFull && diagnostics.contains(where: \.isError) }

  /// True if it is worthwhile to search `count` names for one that is similar to a wrong name. A search takes some
  /// milliseconds. That is acceptable for a typo, but not if most names in the file are wrong.
  func mayLookThrough(_ count: Int) -> Bool { count < 1_000 || diagnostics.count < 20 }

  /// Returns the most similar name according to ``NearestName``, or nil if none is similar or a search is not
  /// worthwhile.
  func nearest(_ name: String, among names: some Collection<String>) -> String? {
    mayLookThrough(names.count) ? NearestName.of(name, among: names) : nil
  }

  /// Returns the correction to the most similar name, or nil if none is similar or a search is not worthwhile.
  func correction(_ name: String, among names: some Collection<String>) -> Correction? {
    nearest(name, among: names).map { Correction(name, to: $0) }
  }

  /// Formats up to twenty names, such as `'a', 'b'`, in the given order.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
    return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
  }

  /// Adds a diagnostic. After the maximum number of diagnostics, adds only an error, and only if there have been only
  /// warnings.
  @inline(never)
  mutating func report(
    _ code: DiagnosticCode, _ message: String, at span: TextSpan, related: [Diagnostic.RelatedLocation] = [],
    help: String? = nil, missingName: String? = nil, correction: Correction? = nil
  ) {
    if isFull, code.severity == .warning || isSettled { return }
    diagnostics.append(
      Diagnostic(
        code, message, at: span, related: related, help: help, missingName: missingName, correction: correction))
  }

  /// Adds a diagnostic. Its help is the question whether the correction was meant or, if there is no correction,
  /// `help`.
  mutating func report(
    _ code: DiagnosticCode, _ message: String, at span: TextSpan, related: [Diagnostic.RelatedLocation] = [],
    correction: Correction?, otherwise help: String? = nil
  ) {
    report(code, message, at: span, related: related, help: correction?.question ?? help, correction: correction)
  }

  /// Calls `body` for each key of a mapping. Reports a node that is not a mapping, and unknown, duplicate and missing
  /// keys.
  ///
  /// - Parameters:
  ///   - owner: Describes the mapping in messages, such as `step 'fetch'`.
  ///   - location: The node at which missing keys are reported.
  /// - Returns: The bits of the keys that the mapping has. For another node, the bits of the required keys.
  @inline(__always) @discardableResult
  mutating func forEachKey<Key: FormatKey>(
    of node: NodeID, _ table: KeyTable<Key>, owner: Owner, location: NodeID,
    _ body: (inout Self, Key, MemberCursor.Member) -> Void
  ) -> UInt64 {
    guard tree.kind(node) == .mapping else {
      report(
        .wrongType, "\(owner.text(in: tree)) must be a mapping with keys, found \(found(node))", at: span(node),
        help: tree.scalarValue(node).flatMap(Key.remedy(insteadOf:)) ?? "its keys are \(Key.list)")
      return table.requiredBits
    }
    var seen: UInt64 = 0
    var ignored: Set<ByteName> = []
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard tree.kind(member.key) == .scalar, let entry = tree.withText(member.key, { table.entry($0) }) else {
        if let prefix = Key.ignoredPrefix, let name = tree.text(of: member.key), name.hasPrefix(prefix) {
          if !ignored.insert(ByteName(name)).inserted { reportDuplicate(member.key, in: node) }
        } else {
          reportUnknown(Key.self, member, owner: owner.text(in: tree))
        }
        continue
      }
      if seen & entry.bit != 0 {
        reportDuplicate(member.key, in: node)
        continue
      }
      seen |= entry.bit
      body(&self, entry.key, member)
    }
    if seen & table.requiredBits != table.requiredBits {
      for key in table.missing(seen) {
        report(
          .missingKey, "\(owner.text(in: tree)) lacks the key '\(key.rawValue)'",
          at: tree.nodes[location].kind == .scalar ? span(location) : TextSpan(at: span(location).start),
          help: "'\(key.rawValue)': \(key.summary)")
      }
    }
    return seen
  }

  /// Reports an unknown key of a mapping. The function is not generic over the keys, so that it is compiled only once.
  @inline(never)
  private mutating func reportUnknown(
    _ keys: any FormatKey.Type, _ member: MemberCursor.Member, owner: String
  ) {
    guard !isSettled, let name = keyText(member.key) else { return }
    if let remedy = keys.remedy(for: name, value: tree.text(of: member.value)) {
      report(
        .unknownKey, "\(owner) has no key '\(name)'", at: span(member.key), help: remedy,
        correction: keys.counterpart(of: name).map { Correction(name, to: $0) })
      return
    }
    if let command = command(endingIn: member) {
      let help = "quote the command" + (command.contains("'") ? "" : ": run: '\(command)'")
      return report(.unknownKey, "\(owner) has no key '\(name)'", at: span(member.key), help: help)
    }
    let correction = Correction(name, among: keys.names)
    report(
      .unknownKey, "\(owner) has no key '\(name)'", at: span(member.key),
      help: (correction.map { $0.question + " " } ?? "") + "\(keys.owner) has \(keys.list)", correction: correction)
  }

  /// Returns the whole command if YAML has split it at a comma because it is not quoted, as in `{ run: echo a, b }`.
  /// Returns nil in any other case.
  private func command(endingIn member: MemberCursor.Member) -> String? {
    let key = span(member.key)
    guard tree.kind(member.value) == .scalar, span(member.value).isEmpty else { return nil }
    let start = tree.source.bytes[..<key.start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    guard key.end - start < 1_000 else { return nil }
    let line = String(decoding: tree.source.bytes[start..<key.end], as: UTF8.self)
    guard let run = line.ranges(of: "run: ").last, line[..<run.lowerBound].contains("{") else { return nil }
    let command = line[run.upperBound...].drop { $0 == " " }
    return command.first == "'" || command.first == "\"" || !command.contains(",") ? nil : String(command)
  }

  /// Reports a duplicate key of a mapping, together with the location of its first occurrence.
  @inline(never)
  mutating func reportDuplicate(_ key: NodeID, in mapping: NodeID) {
    guard !isFull else { return }
    let name = tree.text(key)
    var related: [Diagnostic.RelatedLocation] = []
    var ignored: [Diagnostic] = []
    var members = tree.members(of: mapping, failures: &ignored)
    let size = tree.next(tree.resolve(mapping)) - tree.resolve(mapping)
    while mayLookThrough(size), let member = members.next(in: tree), member.key != key {
      if tree.kind(member.key) == .scalar, tree.text(member.key).hasSameBytes(as: name) {
        related = [.init(span(member.key), "the first one is here")]
        break
      }
    }
    report(.duplicateKey, "the key '\(name)' appears twice in this mapping", at: span(key), related: related)
  }

  /// Returns the text of a key. Reports a key that is empty or not a scalar, and returns nil for it.
  @inline(never)
  mutating func keyText(_ key: NodeID) -> String? {
    guard tree.kind(key) == .scalar, !tree.text(key).isEmpty else {
      report(
        .keyNotText, "a key must be a string, found \(found(key))", at: span(key),
        help: tree.kind(key) == .mapping ? Self.bracesHelp : nil)
      return nil
    }
    return tree.text(key)
  }

  private static var bracesHelp: String { "in YAML, braces are a mapping; put an expression in quotes: \"${{ … }}\"" }

  /// Returns a suggestion for `{{ x }}`, which YAML reads as a mapping, or nil for any other node.
  private func bracesHelp(_ node: NodeID) -> String? {
    let start = span(node).start
    return tree.kind(node) == .mapping && tree.source.bytes[start...].starts(with: Array("{{".utf8))
      ? Self.bracesHelp : nil
  }

  func span(_ node: NodeID) -> TextSpan { tree.span(node) }

  /// Returns a description of a node for a message, such as `a mapping` or `the string "yes"`.
  @inline(never)
  func found(_ node: NodeID) -> String {
    switch tree.kind(node) {
    case .mapping: return "a mapping"
    case .sequence: return tree.elements(node).isEmpty ? "an empty list" : "a list"
    case .scalar, .alias:
      switch tree.scalarValue(node) {
      case .null?: return tree.text(node).isEmpty ? "nothing" : "null"
      case .string(let text)?: return "the string \(Value.string(text).shortText)"
      case let value?: return "the \(value.kindName) \(tree.text(node))"
      case nil: return "a tag that does not fit '\(tree.text(node))'"
      }
    }
  }

  /// Reports a node that does not have the expected type.
  @inline(never)
  mutating func reportType(_ node: NodeID, _ owner: Owner, expected: String, help: String? = nil) {
    report(
      .wrongType, "\(owner.text(in: tree)) must be \(expected), found \(found(node))", at: span(node),
      help: help ?? bracesHelp(node))
  }
}

extension FormatKey {
  /// The quoted names of all keys for a message, such as `'min', 'max'`.
  static var list: String { names.map { "'\($0)'" }.joined(separator: ", ") }

  static var names: [String] { allCases.map(\.rawValue) }
}

extension [Diagnostic] {
  /// Returns the diagnostics sorted by location, without the duplicates that aliases can cause. If the maximum number
  /// has been reached, adds a diagnostic that mentions it.
  func uniqueByLocation() -> [Diagnostic] {
    guard count > 1 else { return self }
    var seen: Set<Diagnostic> = []
    var result = filter { seen.insert($0).inserted }.sortedByLocation()
    if count >= Limits.diagnostics {
      result.append(
        Diagnostic(
          .tooManyDiagnostics, "more than \(Limits.diagnostics - 1) problems; the others are not shown",
          at: result[result.count - 1].span, help: "fix these first"))
    }
    return result
  }
}
