/// The parsed expressions of a workflow file. The only type that conforms is in `FlowExpressions`, because this module
/// does not contain expressions.
package protocol ParsedExpressions: AnyObject, Sendable {}
