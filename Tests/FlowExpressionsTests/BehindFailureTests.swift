import FlowExpressions
import Testing

/// Which conditions may hold though something before did not succeed.
struct BehindFailureTests {
  @Test(arguments: [
    ("true", false), ("inputs.x", false), ("success()", false), ("success() && inputs.x", false),
    ("success() && always()", false), ("failure()", true), ("always()", true), ("!success()", true),
    ("success() == false", true), ("success() || true", true), ("success() || inputs.x", true), ("!cancelled()", true),
    ("!(success() && inputs.x)", true), ("always() && false", false), ("success() || false", false),
  ])
  func `an if may hold behind a failure unless it is false whenever success() is`(text: String, expected: Bool) throws {
    #expect(try Expression(parsing: text).mayHoldBehindFailure == expected)
  }
}
