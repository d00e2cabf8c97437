import FlowExpressions
import FlowModel
import FlowPlatform

/// The set of paths that a pattern may match. An expression whose value is unknown before the run matches any text.
/// `[…]` is treated as if it matched any character.
struct PathShape: Sendable, Hashable {
  private enum Token: Sendable, Hashable {
    case character(Unicode.Scalar)
    case anyCharacter, anyText
  }

  private let parts: [[Token]]
  /// True if paths start at the root folder.
  private let isAbsolute: Bool
  /// True if the shape matches exactly one path.
  let isLiteral: Bool

  private static let anyFolders: [Token] = [.anyText, .anyText]

  /// Returns the shapes of a pattern in a step, or an empty array if the pattern is invalid or may match any path.
  static func all(
    of pattern: String, fanOut: FanOut?, inputs: [FieldDeclaration], _ texts: WorkflowTexts
  ) -> [PathShape] {
    guard Template.containsExpression(pattern) else { return all(of: pattern) }
    guard let template = try? texts.template(pattern) else { return [] }
    if template.isSingleExpression, template.expressions[0].expression.source.lowercased() == "item.path",
      case .files(let patterns)? = fanOut?.source
    {
      return patterns.filter { !PatternText.isExclusion($0) }.flatMap {
        all(of: $0, fanOut: nil, inputs: inputs, texts)
      }
    }
    let stands = template.expressions.map { stand(for: $0.expression, fanOut: fanOut, inputs: inputs) }
    // A pattern that consists of a single expression may match any path.
    guard !stands.contains(nil), !template.isSingleExpression || stands[0]?.contains("*") == false else { return [] }
    return all(of: template.text { stands[$0] ?? "" })
  }

  /// Returns the shapes of a pattern without expressions: one for each of its alternatives.
  private static func all(of pattern: String) -> [PathShape] {
    ((try? PatternText.expanded(pattern)) ?? [PatternText.quoted(pattern)]).map { PathShape($0) }
  }

  /// Returns a pattern for an expression: the default of an input, or the possible values of `item`, `index` or `key`.
  /// Returns nil for any other expression and for an input whose default is not a string, because these may result in
  /// any text.
  private static func stand(for expression: Expression, fanOut: FanOut?, inputs: [FieldDeclaration]) -> String? {
    guard let reference = expression.references.first, expression.references.count == 1,
      expression.source.lowercased() == ([reference.name] + reference.path).joined(separator: ".").lowercased()
    else { return nil }
    switch (reference.name.lowercased(), reference.path.first?.lowercased()) {
    case ("inputs", let name?):
      return (inputs.first { $0.name.lowercased() == name }?.defaultValue?.stringValue).map(PatternText.quoted)
    case (ItemContext.item, let field):
      guard case .files? = fanOut?.source else { return "*" }
      return field == "path" ? "**/*" : field == "folder" ? "**" : "*"
    case (ItemContext.index, _), (ItemContext.key, _): return "*"
    default: return nil
    }
  }

  /// Creates the shape of a pattern without alternatives. A NUL precedes each quoted character.
  private init(_ pattern: String) {
    let parts = Self.tokens(pattern).split(separator: .character("/")).map { Array($0) }
    self.init(parts, isAbsolute: FilePath.isAbsolute(pattern))
  }

  private init(_ all: [[Token]], isAbsolute: Bool) {
    let (here, up): ([Token], [Token]) = ([.character(".")], [.character("."), .character(".")])
    var parts: [[Token]] = []
    for part in all where part != here {
      if part == up, let last = parts.last, last != Self.anyFolders, last != up {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    self.parts = parts
    self.isAbsolute = isAbsolute
    isLiteral = parts.allSatisfy { $0.allSatisfy { if case .character = $0 { true } else { false } } }
  }

  private static func tokens(_ pattern: String) -> [Token] {
    var tokens: [Token] = []
    var characters = pattern.unicodeScalars[...]
    while let character = characters.popFirst() {
      switch character {
      case "\0": if let next = characters.popFirst() { tokens.append(.character(next)) }
      case "*": tokens.append(.anyText)
      case "?": tokens.append(.anyCharacter)
      case "[":
        var inside = 0
        while let next = characters.popFirst() {
          if next == "]", inside > 0 { break }
          if next == "\0" { _ = characters.popFirst() }
          if inside > 0 || next != "!" && next != "^" { inside += 1 }
        }
        tokens.append(.anyCharacter)
      default: tokens.append(.character(character))
      }
    }
    return tokens
  }

  /// Returns the shape with `folder` before a relative path. An absolute path stays unchanged.
  func inside(_ folder: String) -> PathShape {
    if isAbsolute { return self }
    let path = PathShape(PatternText.quoted(folder))
    return PathShape(path.parts + parts, isAbsolute: path.isAbsolute)
  }

  /// The path, or nil if the shape may match more than one.
  var literal: String? {
    guard isLiteral else { return nil }
    var path = String.UnicodeScalarView()
    if isAbsolute { path.append("/") }
    for (index, part) in parts.enumerated() {
      if index > 0 { path.append("/") }
      for case .character(let character) in part { path.append(character) }
    }
    return String(path)
  }

  /// True if some path matches both shapes.
  func overlaps(_ other: PathShape) -> Bool {
    if isAbsolute != other.isAbsolute { return false }
    if isLiteral, other.isLiteral { return parts == other.parts }
    return Self.meet(
      parts, other.parts, isMany: { $0 == Self.anyFolders },
      fit: { own, other in
        Self.meet(
          own, other, isMany: { $0 == .anyText },
          fit: { $0 == $1 || $0 == .anyCharacter || $1 == .anyCharacter })
      })
  }

  /// True if every path that matches the other shape certainly matches this one.
  func covers(_ other: PathShape) -> Bool {
    if isAbsolute != other.isAbsolute { return false }
    return Self.contain(
      parts, other.parts, isMany: { $0 == Self.anyFolders },
      fit: { own, other in
        // In the other shape, `?` may also stand for `[…]`, so `?` in this shape need not match the same characters.
        Self.contain(own, other, isMany: { $0 == .anyText }, fit: { $0 == $1 && $0 != .anyCharacter })
      })
  }

  /// True if the first sequence matches everything that the second one matches. Elements for which `isMany` is true
  /// match any number of elements.
  private static func contain<Element>(
    _ first: [Element], _ second: [Element], isMany: (Element) -> Bool, fit: (Element, Element) -> Bool
  ) -> Bool {
    var before = [true] + [Bool](repeating: false, count: second.count)
    for element in first {
      var current = [Bool](repeating: false, count: second.count + 1)
      for column in 0...second.count {
        if isMany(element) {
          current[column] = before[column] || column > 0 && current[column - 1]
        } else if column > 0, before[column - 1], !isMany(second[column - 1]) {
          current[column] = fit(element, second[column - 1])
        }
      }
      before = current
    }
    return before[second.count]
  }

  /// True if some sequence matches both patterns. Elements for which `isMany` is true match any number of elements.
  private static func meet<Element>(
    _ first: [Element], _ second: [Element], isMany: (Element) -> Bool, fit: (Element, Element) -> Bool
  ) -> Bool {
    var before = [Bool](repeating: false, count: second.count + 1)
    for row in 0...first.count {
      var current = [Bool](repeating: false, count: second.count + 1)
      for column in 0...second.count {
        if row == 0, column == 0 {
          current[0] = true
          continue
        }
        let isManyInFirst = row > 0 && isMany(first[row - 1])
        let isManyInSecond = column > 0 && isMany(second[column - 1])
        current[column] =
          (isManyInFirst && (before[column] || (column > 0 && current[column - 1])))
          || (isManyInSecond && ((column > 0 && current[column - 1]) || (row > 0 && before[column])))
          || (row > 0 && column > 0 && before[column - 1] && fit(first[row - 1], second[column - 1]))
      }
      before = current
    }
    return before[second.count]
  }
}
