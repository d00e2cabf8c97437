import FlowModel
import FlowPluginKit
import RouterCore

/// A route as written in a step: a pattern, or an object with `pattern` and options.
struct RouteEntry {
  /// The keys of the object, with their types and default values.
  static let fields: [FieldDeclaration] = [
    FieldDeclaration("pattern", .string, summary: "The pattern of its URLs"),
    FieldDeclaration("page", .string, isRequired: false, summary: "The page; without it, the pattern's first literal"),
    FieldDeclaration("action", .enumeration(["push", "present"], of: .string), default: "push"),
    FieldDeclaration("priority", .integer, default: 0, summary: "Decides between routes of the same shape"),
    FieldDeclaration("sensitive", .boolean, default: false, summary: "Not opened from outside unless approved"),
    FieldDeclaration(
      "sources", .array(of: .enumeration(RouteSource.allCases.map { .string($0.rawValue) }, of: .string)),
      isRequired: false, summary: "From where it may be opened; without it, from everywhere"),
    FieldDeclaration(
      "types", .object(properties: nil), isRequired: false,
      summary: "Types of query and payload parameters, such as { next: url }"),
    FieldDeclaration(
      "defaults", .object(properties: nil), isRequired: false,
      summary: "Values for parameters that the link lacks, such as { message: none }"),
    FieldDeclaration(
      "actions", .array(of: .string), isRequired: false,
      summary: "The buttons of a notification that open the page, by identifier; without it, only a tap does"),
    FieldDeclaration(
      "restorable", .boolean, isRequired: false,
      summary: "Whether ui.restore may show the page again; without it, unless the route or its link has secrets"),
  ]

  /// Reads the entry at `keyPath`. Returns the route, or all problems with the entry.
  static func read(_ value: Value, at keyPath: String) -> Result<Route, RouteEntryProblems> {
    switch value {
    case .string(let pattern): return read(["pattern": .string(pattern)], at: keyPath, patternPath: keyPath)
    case .object(let object): return read(object, at: keyPath, patternPath: keyPath + ".pattern")
    default:
      return .failure(
        RouteEntryProblems([
          InputProblem(
            keyPath, "a route is a pattern or an object with 'pattern', not \(value.shortText)",
            help: "write \"app://page/:id\" or { pattern: \"app://page/:id\", action: present }")
        ]))
    }
  }

  private static func read(
    _ object: ValueObject, at keyPath: String, patternPath: String
  ) -> Result<Route, RouteEntryProblems> {
    var problems =
      ValueType.object(properties: fields).mismatch(of: .object(object), at: keyPath).map {
        [InputProblem($0.path, "a route is invalid: \($0.description)", help: $0.help)]
      } ?? []
    var pattern: RoutePattern?
    if let text = object["pattern"]?.stringValue {
      do throws(RoutePatternError) {
        pattern = try RoutePattern(text)
      } catch {
        problems.append(
          InputProblem(
            patternPath, "the pattern '\(text)' is wrong at character \(error.offset + 1): \(error.message)",
            help: error.help, correction: error.correction))
      }
    }
    let types = parameterTypes(object["types"]?.objectValue ?? [:], at: keyPath + ".types", &problems)
    problems += buttonProblems(object["actions"]?.arrayValue ?? [], at: keyPath + ".actions")
    guard problems.isEmpty, let pattern else { return .failure(RouteEntryProblems(problems)) }
    let sources = object["sources"]?.arrayValue?.compactMap { $0.stringValue.flatMap(RouteSource.init(rawValue:)) }
    return .success(
      Route(
        pattern, page: object["page"]?.stringValue,
        action: object["action"]?.stringValue.flatMap(RouteAction.init(rawValue:)) ?? .push,
        priority: object["priority"]?.integerValue ?? 0, isSensitive: object["sensitive"]?.booleanValue ?? false,
        sources: sources.map(Set.init) ?? RouteSource.all, parameterTypes: types,
        defaults: object["defaults"]?.objectValue ?? [:], isRestorable: object["restorable"]?.booleanValue,
        notificationActions: Set(object["actions"]?.arrayValue?.compactMap(\.stringValue) ?? [])))
  }

  /// Returns the problems with the identifiers of buttons that open the page.
  private static func buttonProblems(_ identifiers: [Value], at keyPath: String) -> [InputProblem] {
    identifiers.enumerated().compactMap { index, value in
      guard let identifier = value.stringValue else { return nil }
      let isDismissal = NotificationAnswer.word(for: identifier) == NotificationAnswer.dismiss
      guard isDismissal || identifier.isEmpty else { return nil }
      return InputProblem(
        "\(keyPath)[\(index)]", isDismissal ? "a dismissed notification opens nothing" : "the identifier is empty",
        help: "list the identifiers of buttons, such as SHOW")
    }
  }

  private static func parameterTypes(
    _ object: ValueObject, at keyPath: String, _ problems: inout [InputProblem]
  ) -> [String: ParameterType] {
    var types: [String: ParameterType] = [:]
    for (name, value) in object {
      do {
        types[name] = try ParameterType(text: value.stringValue ?? value.shortText)
      } catch {
        problems.append(
          InputProblem("\(keyPath).\(name)", error.message, help: error.help, correction: error.correction))
      }
    }
    return types
  }
}

/// All problems with a route entry.
struct RouteEntryProblems: Error {
  let problems: [InputProblem]

  init(_ problems: [InputProblem]) { self.problems = problems }
}
