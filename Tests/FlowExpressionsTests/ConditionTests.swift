import FlowExpressions
import FlowModel
import Testing

struct ConditionTests {
  private struct Status: ExpressionContext {
    var succeeded = true
    var failed = false
    var isCancelled = false
    func value(named name: String) -> Value? { ["yes": true] }
    func status(_ function: StatusFunction) -> Bool {
      switch function {
      case .success: succeeded
      case .failure: failed
      case .cancelled: isCancelled
      case .always: true
      }
    }
  }

  @Test(arguments: [
    ("true", true, false), ("inputs.yes", true, false), ("inputs.no", false, false), ("always()", true, true),
    ("failure()", false, true), ("success()", true, false), ("!failure()", true, false),
    ("Failure() || inputs.yes", true, true), ("${{ always() }}", true, true), ("${{ inputs.yes }}", true, false),
    ("", false, false),
  ])
  func `a condition implies success() unless it calls a status function`(
    text: String, whenAllWell: Bool, whenOneFailed: Bool
  ) throws {
    let condition = try Expression.condition(text).expression
    #expect(try condition.isSatisfied(in: Status()) == whenAllWell)
    #expect(try condition.isSatisfied(in: Status(succeeded: false, failed: true)) == whenOneFailed)
  }

  @Test func `a condition must be a single expression, not text that contains expressions`() throws {
    #expect { try Expression.condition("run ${{ inputs.yes }}") } throws: {
      ($0 as? ExpressionError)?.message == "A condition is one expression, with or without ${{ }} around all of it"
    }
    #expect(try Expression.condition("${{ inputs.yes }}").offset == 4)
    #expect(try Expression.condition("inputs.yes").offset == 0)
  }

  @Test func `a condition reports the status functions that it calls`() throws {
    #expect(try Expression(parsing: "FAILURE() && CANCELLED() || failure()").statusFunctions == [.failure, .cancelled])
    #expect(try !Expression(parsing: "contains('success()', inputs.x)").usesStatusFunction)
  }
}
