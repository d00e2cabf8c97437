import FlowExpressions
import FlowModel
import FlowPlatform

/// A path or pattern of files that a step reads or produces, after its expressions have been evaluated.
struct NamedFiles: Sendable, Hashable {
  /// The rule for whether a path or pattern must match a file.
  enum Need: Sendable, Hashable {
    /// A path must exist, but a pattern may match no file.
    case ofPaths
    case always, never
  }

  var pattern: String
  var need: Need
  /// True if the files may be removed once all steps that read them have succeeded.
  var isTemporary = false

  /// These files, except that temporary ones need not exist.
  var lookedFor: NamedFiles { isTemporary ? NamedFiles(pattern: pattern, need: .never, isTemporary: true) : self }
}

/// The files that a step declares in `inputs-from` and `produces`, with the expressions parsed.
struct PreparedFiles: Sendable {
  private typealias Rule = (value: PreparedValue, isRequired: Bool?, isTemporary: Bool)

  private let reads: [Rule]
  private let makes: [Rule]
  /// True if a path or pattern contains an expression.
  let hasExpressions: Bool

  /// Parses the paths and patterns. Returns nil if the step declares no files.
  init?(_ options: StepOptions, _ texts: WorkflowTexts) throws(ExpressionError) {
    guard !options.inputsFrom.isEmpty || !options.produces.isEmpty else { return nil }
    reads = try Self.parsed(options.inputsFrom, texts)
    makes = try Self.parsed(options.produces, texts)
    hasExpressions = (reads + makes).contains { if case .literal = $0.value { false } else { true } }
  }

  private static func parsed(_ rules: [FileRule], _ texts: WorkflowTexts) throws(ExpressionError) -> [Rule] {
    var values: [Rule] = []
    for rule in rules {
      values.append((try PreparedValue(.string(rule.pattern), texts), rule.isRequired, rule.isTemporary))
    }
    return values
  }

  /// True if the files depend only on the item and the run's inputs, so that they are the same during the whole run.
  var isKnownFromTheStart: Bool {
    (reads + makes).allSatisfy { $0.value.reads(only: ["item", "inputs"]) }
  }

  /// Evaluates the paths and patterns.
  func evaluate(in scope: RunScope) throws(StepFailure) -> (reads: [NamedFiles], makes: [NamedFiles]) {
    // If an expression returns a list of paths, the files in `inputs-from` need not exist.
    (
      try Self.evaluate(reads, "inputs-from", needOfLists: .never, in: scope),
      try Self.evaluate(makes, "produces", needOfLists: .ofPaths, in: scope)
    )
  }

  /// Evaluates rules. An expression may return a list of paths.
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
        try StepFailure.checkNoNull(inPattern: path, of: key)
        let need = isRequired.map { $0 ? NamedFiles.Need.always : .never } ?? usual
        files.append(NamedFiles(pattern: path, need: need, isTemporary: isTemporary))
      }
    }
    return files
  }
}
