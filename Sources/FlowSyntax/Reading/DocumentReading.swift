import FlowDiagnostics
import FlowModel

/// A tree to read from and a list of diagnostics, shared by the readers of workflows and manifests.
protocol DocumentReading {
  var tree: NodeTree { get }
  var diagnostics: [Diagnostic] { get set }
}

extension DocumentReading {
  /// True if the limit of diagnostics has been reached.
  var isFull: Bool { diagnostics.count >= Limits.diagnostics }

  /// True if further diagnostics would not be reported, because the limit has been reached and there is an error.
  var isSettled: Bool { isFull && diagnostics.contains(where: \.isError) }

  /// Returns whether a search through `count` names of the file is worth its time: it takes some milliseconds, which is
  /// fine for a typo but not for a file in which most names are wrong.
  func mayLookThrough(_ count: Int) -> Bool { count < 1_000 || diagnostics.count < 20 }

  /// Returns the name in the file that was most likely meant, according to ``NearestName``.
  func nearest(_ name: String, among names: some Collection<String>) -> String? {
    mayLookThrough(names.count) ? NearestName.of(name, among: names) : nil
  }

  /// Returns the name in the file that was most likely meant, or nil if none is near.
  func correction(_ name: String, among names: some Collection<String>) -> Correction? {
    nearest(name, among: names).map { Correction(name, to: $0) }
  }

  /// Formats names as `'a', 'b'` in the order given, with at most twenty.
  static func list(_ names: [String]) -> String {
    let shown = names.prefix(20).map { "'\($0)'" }.joined(separator: ", ")
    return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
  }

  /// Adds a diagnostic. At the limit, adds only the first error after nothing but warnings.
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

  /// Adds a diagnostic whose remedy is the intended word, or else `help`.
  mutating func report(
    _ code: DiagnosticCode, _ message: String, at span: TextSpan, related: [Diagnostic.RelatedLocation] = [],
    correction: Correction?, otherwise help: String? = nil
  ) {
    report(code, message, at: span, related: related, help: correction?.question ?? help, correction: correction)
  }

  /// Calls `body` for each key of a mapping of the format. Reports other kinds of nodes, and unknown, repeated and
  /// missing keys.
  ///
  /// `owner` names the mapping, as in `step 'fetch'`. A missing key is reported at `location`. Returns the bits of the
  /// keys
  /// that were present.
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

  /// Not generic over the keys, so that it is compiled only once.
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

  /// Returns the command that YAML split at a comma because it is not quoted, as in `{ run: echo a, b }`, or nil.
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

  /// Reports a repeated key of a mapping, with its first location.
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

  /// Returns the text of a key; reports a key that is a mapping, a list or empty.
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

  /// Returns the remedy for `{{ x }}`.
  private func bracesHelp(_ node: NodeID) -> String? {
    let start = span(node).start
    return tree.kind(node) == .mapping && tree.source.bytes[start...].starts(with: Array("{{".utf8))
      ? Self.bracesHelp : nil
  }

  /// Returns the location of a node.
  func span(_ node: NodeID) -> TextSpan { tree.span(node) }

  /// Describes a node for a message: `a mapping`, `the string "yes"`.
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

  /// Reports that a node does not have the expected type.
  @inline(never)
  mutating func reportType(_ node: NodeID, _ owner: Owner, expected: String, help: String? = nil) {
    report(
      .wrongType, "\(owner.text(in: tree)) must be \(expected), found \(found(node))", at: span(node),
      help: help ?? bracesHelp(node))
  }
}

extension FormatKey {
  /// All keys for a message: `'min', 'max'`.
  static var list: String { names.map { "'\($0)'" }.joined(separator: ", ") }

  /// All keys.
  static var names: [String] { allCases.map(\.rawValue) }
}

extension [Diagnostic] {
  /// Returns the diagnostics in file order without duplicates, which aliases can cause. At the limit, a note says that
  /// there may be more.
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
