import FlowExpressions
import Testing

/// Conditions that may be true although a dependency has not succeeded.
struct BehindFailureTests {
  @Test(arguments: [
    ("true", false), ("inputs.x", false), ("success()", false), ("success() && inputs.x", false),
    ("success() && always()", false), ("failure()", true), ("always()", true), ("!success()", true),
    ("success() == false", true), ("success() || true", true), ("success() || inputs.x", true), ("!cancelled()", true),
    ("!(success() && inputs.x)", true), ("always() && false", false), ("success() || false", false),
  ])
  func `a condition can be true after a failure unless it implies success()`(text: String, expected: Bool) throws {
    #expect(try Expression(parsing: text).mayHoldBehindFailure == expected)
  }
}
