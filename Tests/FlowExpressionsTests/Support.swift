import FlowExpressions
import FlowModel
import FlowTestKit
import Foundation

/// Evaluates an expression. The names of its contexts are those of `contexts`.
func evaluate(_ source: String, _ contexts: ValueObject = [:]) throws -> Value {
  try Expression(parsing: source, dialect: .init(names: contexts.keys)).evaluate(in: FixedContext(contexts))
}

/// Returns the error of an expression in the form `kind message`, or nil if there is none.
func failure(_ source: String, _ contexts: ValueObject = [:]) -> String? {
  do throws(ExpressionError) {
    _ = try Expression(parsing: source, dialect: .init(names: contexts.keys)).evaluate(in: FixedContext(contexts))
    return nil
  } catch {
    return "\(error.kind.rawValue) \(error)"
  }
}

/// The seeds of a property test. If `FLOWRUN_SEED` is set, that is the only seed. Otherwise the seeds are 1 to `count`,
/// of which `make test` uses a fifth. `make test-long` uses 100 times as many.
func seeds(_ count: UInt64) -> [UInt64] {
  if let seed = SeededGenerator.environmentSeed { return [seed] }
  let environment = ProcessInfo.processInfo.environment
  if environment["FLOWRUN_LONG_TESTS"] != nil { return Array(1...count * 100) }
  return Array(1...(environment["FLOWRUN_RELEASE_TESTS"] != nil ? count : count / 5))
}
