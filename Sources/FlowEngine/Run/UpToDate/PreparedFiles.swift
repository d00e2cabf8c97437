import FlowExpressions
import FlowModel
import FlowPlatform

/// An evaluated path or pattern of files that a step reads or produces.
struct NamedFiles: Sendable, Hashable {
  /// The conditions under which files must match.
  enum Need: Sendable, Hashable {
    /// A path must exist, but a pattern need not match any file.
    case ofPaths
    case always, never
  }

  var pattern: String
  var need: Need
  /// True if the files are removed once their readers have succeeded.
  var isTemporary = false

  /// The same rule, but a temporary file need not exist.
  var lookedFor: NamedFiles { isTemporary ? NamedFiles(pattern: pattern, need: .never, isTemporary: true) : self }
}

/// The files that a step declares to read and produce, with parsed expressions.
struct PreparedFiles: Sendable {
  private typealias Rule = (value: PreparedValue, isRequired: Bool?, isTemporary: Bool)

  private let reads: [Rule]
  private let makes: [Rule]
  /// True if any of them is an expression.
  let hasExpressions: Bool

  /// Creates the files of a step. Returns nil if it declares none.
  init?(_ options: StepOptions) throws(ExpressionError) {
    guard !options.inputsFrom.isEmpty || !options.produces.isEmpty else { return nil }
    reads = try Self.parsed(options.inputsFrom)
    makes = try Self.parsed(options.produces)
    hasExpressions = (reads + makes).contains { if case .literal = $0.value { false } else { true } }
  }

  private static func parsed(_ rules: [FileRule]) throws(ExpressionError) -> [Rule] {
    var values: [Rule] = []
    for rule in rules { values.append((try PreparedValue(.string(rule.pattern)), rule.isRequired, rule.isTemporary)) }
    return values
  }

  /// True if the patterns of an item never change, because they depend only on the item and the run's inputs.
  var isKnownFromTheStart: Bool {
    (reads + makes).allSatisfy { $0.value.reads(only: ["item", "inputs"]) }
  }

  /// Evaluates the patterns.
  func evaluate(in scope: RunScope) throws(StepFailure) -> (reads: [NamedFiles], makes: [NamedFiles]) {
    // The paths of a list are only known now, so the workflow does not require each of them to exist.
    (
      try Self.evaluate(reads, "inputs-from", needOfLists: .never, in: scope),
      try Self.evaluate(makes, "produces", needOfLists: .ofPaths, in: scope)
    )
  }

  /// Evaluates rules. An expression may also return a list of paths.
  private static func evaluate(
    _ rules: [Rule], _ key: String, needOfLists: NamedFiles.Need, in scope: RunScope
  ) throws(StepFailure) -> [NamedFiles] {
    var files: [NamedFiles] = []
    for (value, isRequired, isTemporary) in rules {
      let given: Value
      do throws(ExpressionError) {
        given = try value.evaluate(in: scope, quoting: PatternText.quoted)
      } catch {
        throw StepFailure(error, in: key)
      }
      let usual = given.arrayValue == nil ? .ofPaths : needOfLists
      for path in given.arrayValue ?? [given] {
        guard let path = path.stringValue, !path.isEmpty else {
          throw StepFailure(code: "expression", message: "\(key): expected a path, found \(path.shortText)")
        }
        let need = isRequired.map { $0 ? NamedFiles.Need.always : .never } ?? usual
        files.append(NamedFiles(pattern: path, need: need, isTemporary: isTemporary))
      }
    }
    return files
  }
}
