import FlowExpressions
import FlowModel

/// A duration that is a literal or comes from an expression.
enum PreparedDuration: Sendable {
  case literal(Duration)
  case template(Template, source: String)

  init(_ source: DurationSource, _ texts: WorkflowTexts) throws(ExpressionError) {
    switch source {
    case .literal(let duration): self = .literal(duration)
    case .expression(let text): self = .template(try texts.template(text), source: text)
    }
  }

  /// Returns the duration. Throws a ``PreparedWorkflow/PreparationProblem`` if the expression fails or its value is not
  /// a duration.
  func evaluate(in context: some ExpressionContext) throws(PreparedWorkflow.PreparationProblem) -> Duration {
    switch self {
    case .literal(let duration): return duration
    case .template(let template, let source):
      let value: Value
      do throws(ExpressionError) {
        value = try template.evaluate(in: context)
      } catch {
        throw PreparedWorkflow.PreparationProblem(step: nil, message: "deadline \(source): \(error.description)")
      }
      guard case .string(let text) = value else {
        throw PreparedWorkflow.PreparationProblem(
          step: nil, message: "deadline \(source): expected a duration such as 2s, found \(value.shortText)")
      }
      do throws(DurationText.DurationProblem) {
        return try DurationText.parse(text)
      } catch {
        throw PreparedWorkflow.PreparationProblem(step: nil, message: "deadline \(source): \(error.help)")
      }
    }
  }
}
