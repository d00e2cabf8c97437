import FlowExpressions
import FlowModel

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
