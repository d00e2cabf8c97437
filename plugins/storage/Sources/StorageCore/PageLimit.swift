import FlowModel
import FlowPluginKit

/// The number of rows that an action may return, the same for all actions that read a page.
package enum PageLimit {
  /// The allowed limits.
  package static let range = 1...1000

  /// The problems that `validate` reports for a literal `limit`.
  package static func problems(with input: LiteralInput) -> [InputProblem] {
    guard let limit = input["limit"]?.integerValue, !range.contains(limit) else { return [] }
    return [
      InputProblem("limit", message(limit), help: "write a number from \(range.lowerBound) to \(range.upperBound)")
    ]
  }

  /// Returns the limit; throws an ``ActionError`` `limit-out-of-range`.
  package static func checked(_ limit: Int) throws -> Int {
    guard range.contains(limit) else { throw ActionError("limit-out-of-range", message(limit), isRetryable: false) }
    return limit
  }

  private static func message(_ limit: Int) -> String {
    "the limit must be from \(range.lowerBound) to \(range.upperBound), not \(limit)"
  }
}
