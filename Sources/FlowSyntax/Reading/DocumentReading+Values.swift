import FlowDiagnostics
import FlowModel

/// Reads single values. Each method reports an invalid value and returns nil for it.
extension DocumentReading {
  /// Reads a string. Reports any other type, even a number without quotes.
  mutating func string(_ node: NodeID, _ owner: Owner) -> String? {
    if tree.kind(node) == .scalar, case .string(let text)? = tree.scalarValue(node) { return text }
    reportType(
      node, owner, expected: "a string",
      help: tree.kind(node) == .scalar && !tree.text(node).isEmpty ? "write it in quotes: \"\(tree.text(node))\"" : nil)
    return nil
  }

  /// Replaces the number in a mismatch by its spelling in the file, such as 3.10 instead of 3.1.
  func spelled(_ mismatch: TypeMismatch, _ node: NodeID) -> TypeMismatch {
    guard tree.kind(node) == .scalar, tree.scalarValue(node)?.numberValue != nil else {
      return mismatch
    }
    var mismatch = mismatch
    mismatch.found = tree.text(node)
    if mismatch.expected == ValueType.string.expectation, mismatch.help == nil {
      mismatch.help = "write it in quotes: \"\(tree.text(node))\""
    }
    return mismatch
  }

  mutating func boolean(_ node: NodeID, _ owner: Owner) -> Bool? {
    if tree.kind(node) == .scalar, case .boolean(let value)? = tree.scalarValue(node) { return value }
    reportType(node, owner, expected: "true or false", help: booleanHelp(node))
    return nil
  }

  /// Returns a suggestion for a Boolean of YAML 1.1, such as `yes` or `off`, or nil for any other value.
  func booleanHelp(_ node: NodeID) -> String? {
    guard tree.kind(node) == .scalar else { return nil }
    switch tree.text(node).lowercased() {
    case "yes", "on", "y", "true": return "write true"
    case "no", "off", "n", "false": return "write false"
    default: return nil
    }
  }

  mutating func integer(_ node: NodeID, _ range: ClosedRange<Int>, _ owner: Owner) -> Int? {
    guard tree.kind(node) == .scalar, let value = tree.scalarValue(node)?.integerValue else {
      reportType(node, owner, expected: "an integer from \(range.lowerBound) to \(range.upperBound)")
      return nil
    }
    guard range.contains(value) else {
      report(
        .outOfRange, "\(owner.text(in: tree)) must be from \(range.lowerBound) to \(range.upperBound), found \(value)",
        at: span(node))
      return nil
    }
    return value
  }

  /// Reads a number of bytes such as `8MiB`. Returns it as written.
  mutating func size(_ node: NodeID, _ range: ClosedRange<Int>, _ owner: Owner) -> String? {
    let expected =
      "a size from \(MemoryText.format(range.lowerBound)) to \(MemoryText.format(range.upperBound)), such as 8MiB"
    guard tree.kind(node) == .scalar, let value = tree.scalarValue(node),
      value.stringValue != nil || value.numberValue != nil
    else {
      reportType(node, owner, expected: expected)
      return nil
    }
    let text = tree.text(node)
    do throws(MemoryText.MemoryProblem) {
      if range.contains(try MemoryText.parse(text, suggesting: range)) { return text }
      report(.outOfRange, "\(owner.text(in: tree)) must be \(expected), found '\(text)'", at: span(node))
    } catch {
      reportType(node, owner, expected: expected, help: error.help)
    }
    return nil
  }

  /// Reads a number that must be at least `least`.
  mutating func number(_ node: NodeID, atLeast least: Double, _ owner: Owner) -> Double? {
    let minimum = Value.number(least).shortText
    guard tree.kind(node) == .scalar, let value = tree.scalarValue(node), let number = value.numberValue else {
      reportType(node, owner, expected: "a number of at least \(minimum)")
      return nil
    }
    guard number >= least, number.isFinite else {
      report(
        .outOfRange, "\(owner.text(in: tree)) must be a number of at least \(minimum), found \(value.shortText)",
        at: span(node))
      return nil
    }
    return number
  }

  mutating func duration(_ node: NodeID, _ owner: Owner) -> Duration? {
    guard tree.kind(node) == .scalar, let value = tree.scalarValue(node) else {
      reportType(node, owner, expected: "a duration such as 250ms")
      return nil
    }
    switch value {
    case .string(let text):
      do throws(DurationText.DurationProblem) {
        return try DurationText.parse(text)
      } catch {
        report(
          .invalidDuration, "\(owner.text(in: tree)) must be a duration such as 250ms, found \(value.shortText)",
          at: span(node),
          help: text.hasPrefix("-") ? "a duration is never negative" : error.help)
      }
    case .integer, .number:
      let problem =
        tree.text(node).hasPrefix("-")
        ? "a duration is never negative" : DurationText.DurationProblem.missingUnit(tree.text(node)).help
      report(
        .invalidDuration,
        "\(owner.text(in: tree)) must be a duration such as 250ms, found the number \(tree.text(node))",
        at: span(node), help: problem)
    case .null, .boolean, .array, .object:
      reportType(node, owner, expected: "a duration such as 250ms")
    }
    return nil
  }

  /// Reads a string that must be the raw value of one of the cases.
  mutating func word<Word: RawRepresentable<String> & CaseIterable>(
    _ node: NodeID, _ owner: Owner, as type: Word.Type = Word.self
  ) -> Word? {
    guard let text = string(node, owner) else { return nil }
    if let word = Word(rawValue: text) { return word }
    reportUnknownWord(node, text, among: Word.allCases.map(\.rawValue), owner)
    return nil
  }

  /// Reports a string that is not one of the allowed words.
  mutating func reportUnknownWord(
    _ node: NodeID, _ text: String, among words: [String], _ owner: Owner, meant: String? = nil
  ) {
    report(
      .unknownValue,
      "\(owner.text(in: tree)) cannot be '\(text)'; it is one of \(words.map { "'\($0)'" }.joined(separator: ", "))",
      at: span(node), correction: meant.map { Correction(text, to: $0) } ?? Correction(text, among: words))
  }

  /// Reads a value of any type. Reports duplicate keys and texts that do not match their tags.
  mutating func value(_ node: NodeID) -> Value {
    switch tree.kind(node) {
    case .scalar, .alias:
      if let value = tree.scalarValue(node) { return value }
      report(.wrongType, "'\(tree.text(node))' does not match its tag", at: span(node))
      return .null
    case .sequence: return .array(tree.elements(node).map { value($0) })
    case .mapping: return .object(object(node))
    }
  }

  mutating func object(_ node: NodeID) -> ValueObject {
    var object = ValueObject()
    var members = tree.members(of: node, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard let key = keyText(member.key) else { continue }
      if object[key] != nil {
        reportDuplicate(member.key, in: node)
      } else {
        object[key] = value(member.value)
      }
    }
    return object
  }

  /// Reads a name or a list of names. The list may be empty. Returns the nodes of the names.
  mutating func nameNodes(_ node: NodeID, _ owner: Owner, _ kind: String) -> [NodeID] {
    switch tree.kind(node) {
    case .sequence:
      return tree.elements(node).filter { string($0, .part("each element", of: owner)) != nil }
    case .scalar where isString(node): return [node]
    default:
      reportType(node, owner, expected: "\(kind) or a list of them")
      return []
    }
  }

  /// True if YAML's core schema treats the scalar as a string.
  func isString(_ node: NodeID) -> Bool {
    if case .string? = tree.scalarValue(node) { return true }
    return false
  }
}
