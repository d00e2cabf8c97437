import FlowModel
import FlowPluginKit

/// The limit on the number of returned rows, which is the same for all actions that read rows.
package enum PageLimit {
  /// The numbers of rows that a step may request.
  package static let range = 1...1000

  /// Returns the problem with a literal `limit`, for validation before the run.
  package static func problems(with input: LiteralInput) -> [InputProblem] {
    guard let limit = input["limit"]?.integerValue, !range.contains(limit) else { return [] }
    return [
      InputProblem("limit", message(limit), help: "write a number from \(range.lowerBound) to \(range.upperBound)")
    ]
  }

  /// Returns `limit` if it is allowed. Otherwise throws an ``ActionError`` with the code `limit-out-of-range`.
  package static func checked(_ limit: Int) throws -> Int {
    guard range.contains(limit) else { throw ActionError("limit-out-of-range", message(limit), isRetryable: false) }
    return limit
  }

  private static func message(_ limit: Int) -> String {
    "the limit must be from \(range.lowerBound) to \(range.upperBound), not \(limit)"
  }
}
