/// The parsed expressions of a workflow file. `FlowExpressions` has the only type, because this module knows no
/// expressions.
package protocol ParsedExpressions: AnyObject, Sendable {}
