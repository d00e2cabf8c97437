import FlowExpressions
import FlowModel

/// What a pattern of files may mean, by the names of its folders and of the file: an expression that is not known before a run
/// counts as any text.
struct PathShape: Sendable, Hashable {
  private let parts: [[UInt8]]
  /// Whether it is one path and no other.
  let isLiteral: Bool

  private static let anyFolders = Array("**".utf8)

  /// The shapes of a pattern of a step; none: nothing is known of it.
  static func all(of pattern: String, fanOut: FanOut?, inputs: [FieldDeclaration]) -> [PathShape] {
    guard Template.containsExpression(pattern) else { return [PathShape(pattern)] }
    guard let template = try? Template(parsing: pattern) else { return [] }
    if template.isSingleExpression, template.expressions[0].expression.source.lowercased() == "item.path",
      case .files(let patterns)? = fanOut?.source
    {
      return patterns.flatMap { all(of: $0, fanOut: nil, inputs: inputs) }
    }
    let stands = template.expressions.map { stand(for: $0.expression, fanOut: fanOut, inputs: inputs) }
    // What an expression alone gives may be any path.
    guard !stands.contains(nil), !template.isSingleExpression || stands[0]?.contains("*") == false else { return [] }
    return [PathShape(template.text { stands[$0] ?? "" })]
  }

  /// What stands for an expression; nil: it may be anything.
  private static func stand(for expression: Expression, fanOut: FanOut?, inputs: [FieldDeclaration]) -> String? {
    guard let reference = expression.references.first, expression.references.count == 1,
      expression.source.lowercased() == ([reference.name] + reference.path).joined(separator: ".").lowercased()
    else { return nil }
    switch (reference.name.lowercased(), reference.path.first?.lowercased()) {
    case ("inputs", let name?):
      return inputs.first { $0.name.lowercased() == name }?.defaultValue?.stringValue
    case (ItemContext.item, let field):
      guard case .files? = fanOut?.source else { return "*" }
      return field == "path" ? "**/*" : field == "folder" ? "**" : "*"
    case (ItemContext.index, _), (ItemContext.key, _): return "*"
    default: return nil
    }
  }

  /// The shape of a path with `*`, `?` and `**`; relative to `folder`, where there is one.
  init(_ pattern: String, in folder: String = "") {
    let whole = folder.isEmpty || pattern.hasPrefix("/") ? pattern : "\(folder)/\(pattern)"
    var parts: [[UInt8]] = whole.hasPrefix("/") ? [[]] : []
    for part in whole.utf8.split(separator: UInt8(ascii: "/")) where !part.elementsEqual(".".utf8) {
      if part.elementsEqual("..".utf8), let last = parts.last, !last.isEmpty, last != Self.anyFolders,
        !last.elementsEqual("..".utf8)
      {
        parts.removeLast()
      } else {
        parts.append(Array(part))
      }
    }
    self.parts = parts
    isLiteral = !parts.contains { $0.contains(UInt8(ascii: "*")) || $0.contains(UInt8(ascii: "?")) }
  }

  /// The same below a folder.
  func inside(_ folder: String) -> PathShape {
    PathShape(parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"), in: folder)
  }

  /// Whether some file fits both.
  func overlaps(_ other: PathShape) -> Bool {
    if isLiteral, other.isLiteral { return parts == other.parts }
    return Self.meet(
      parts, other.parts, isMany: { $0 == Self.anyFolders },
      fit: { own, other in
        Self.meet(
          own, other, isMany: { $0 == UInt8(ascii: "*") },
          fit: { $0 == $1 || $0 == UInt8(ascii: "?") || $1 == UInt8(ascii: "?") })
      })
  }

  /// Whether two rows can be the same, in which some elements stand for any number of others.
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
