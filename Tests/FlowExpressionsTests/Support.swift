import FlowExpressions
import FlowModel
import FlowTestKit
import Foundation

/// The value of an expression over these contexts; the named values are exactly the contexts.
func evaluate(_ source: String, _ contexts: ValueObject = [:]) throws -> Value {
  try Expression(parsing: source, dialect: .init(names: contexts.keys)).evaluate(in: FixedContext(contexts))
}

/// The error that an expression ends with, as `kind message`, or nil when there is none.
func failure(_ source: String, _ contexts: ValueObject = [:]) -> String? {
  do throws(ExpressionError) {
    _ = try Expression(parsing: source, dialect: .init(names: contexts.keys)).evaluate(in: FixedContext(contexts))
    return nil
  } catch {
    return "\(error.kind.rawValue) \(error)"
  }
}

/// The seeds of a property: `FLOWRUN_SEED` alone when it is set, else 1 to `count`, a hundred times as many when
/// `FLOWRUN_LONG_TESTS` is set.
func seeds(_ count: UInt64) -> [UInt64] {
  if let seed = SeededGenerator.environmentSeed { return [seed] }
  let isLong = ProcessInfo.processInfo.environment["FLOWRUN_LONG_TESTS"] != nil
  return Array(1...(isLong ? count * 100 : count))
}
