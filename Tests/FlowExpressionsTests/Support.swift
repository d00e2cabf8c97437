import FlowExpressions
import FlowModel
import FlowTestKit
import Foundation

/// Evaluates an expression in these contexts; the dialect allows exactly their names.
func evaluate(_ source: String, _ contexts: ValueObject = [:]) throws -> Value {
  try Expression(parsing: source, dialect: .init(names: contexts.keys)).evaluate(in: FixedContext(contexts))
}

/// Returns the error of an expression as `kind message`, or nil if there is none.
func failure(_ source: String, _ contexts: ValueObject = [:]) -> String? {
  do throws(ExpressionError) {
    _ = try Expression(parsing: source, dialect: .init(names: contexts.keys)).evaluate(in: FixedContext(contexts))
    return nil
  } catch {
    return "\(error.kind.rawValue) \(error)"
  }
}

/// The seeds of a property test: only `FLOWRUN_SEED` if it is set, or else 1 to `count`, and 100 times as many if
/// `FLOWRUN_LONG_TESTS` is set.
func seeds(_ count: UInt64) -> [UInt64] {
  if let seed = SeededGenerator.environmentSeed { return [seed] }
  let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil
  return Array(1...(isLong ? count * 100 : count))
}
