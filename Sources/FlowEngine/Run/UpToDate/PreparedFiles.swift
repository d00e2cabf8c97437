import FlowExpressions
import FlowModel

/// The files that a step says it reads and makes, with expressions parsed.
struct PreparedFiles: Sendable {
  private let reads: [PreparedValue]
  private let makes: [PreparedValue]
  /// Whether expressions are in them.
  let hasExpressions: Bool

  /// Nil: the step says nothing of files.
  init?(_ options: StepOptions) throws(ExpressionError) {
    guard !options.inputsFrom.isEmpty || !options.produces.isEmpty else { return nil }
    reads = try Self.parsed(options.inputsFrom)
    makes = try Self.parsed(options.produces)
    hasExpressions = (reads + makes).contains { if case .literal = $0 { false } else { true } }
  }

  private static func parsed(_ patterns: [String]) throws(ExpressionError) -> [PreparedValue] {
    var values: [PreparedValue] = []
    for pattern in patterns { values.append(try PreparedValue(.string(pattern))) }
    return values
  }

  /// Whether the patterns of an item are the same whenever they are evaluated, since they read nothing but the item and the
  /// run's inputs.
  var isKnownFromTheStart: Bool {
    (reads + makes).allSatisfy { $0.reads(only: ["item", "inputs"]) }
  }

  /// The patterns as they are now.
  func evaluate(in scope: RunScope) throws(StepFailure) -> (reads: [String], makes: [String]) {
    (try Self.evaluate(reads, "inputs-from", in: scope), try Self.evaluate(makes, "produces", in: scope))
  }

  /// An expression may give a list of paths, too.
  private static func evaluate(
    _ values: [PreparedValue], _ key: String, in scope: RunScope
  ) throws(StepFailure) -> [String] {
    var patterns: [String] = []
    for value in values {
      let given: Value
      do throws(ExpressionError) {
        given = try value.evaluate(in: scope)
      } catch {
        throw StepFailure(error, in: key)
      }
      for path in given.arrayValue ?? [given] {
        guard let path = path.stringValue, !path.isEmpty else {
          throw StepFailure(code: "expression", message: "\(key): expected a path, found \(path.shortText)")
        }
        patterns.append(path)
      }
    }
    return patterns
  }
}
