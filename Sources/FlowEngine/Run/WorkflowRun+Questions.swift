import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSystem

/// A question that a step waits with.
struct OpenQuestion {
  let question: Question
  let attempt: Int
  let handler: @Sendable (Answer) -> Void
}

// What steps ask people.
extension WorkflowRun {
  /// Why an answer is none.
  public struct AnswerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String
  }

  /// Asks a person: the observer is told, and whoever answers calls ``answer(_:with:by:)``.
  public func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {
    state.withLock {
      $0.questions[step] = OpenQuestion(question: question, attempt: attempt, handler: handler)
    }
    emit(.stepAsked(stepID(of: step), question))
  }

  /// The step waits for an answer no longer.
  public func withdrawQuestion(of step: StepIndex, attempt: Int) {
    let isOpen = state.withLock { state in
      guard state.questions[step]?.attempt == attempt else { return false }
      state.questions[step] = nil
      return true
    }
    if isOpen { emit(.stepQuestionEnded(stepID(of: step), nil)) }
  }

  /// Answers the question that a step waits with; the first answer counts.
  public func answer(_ name: String, with choice: String, by: String) throws(AnswerProblem) {
    let steps = prepared.graph.workflow.steps
    guard let index = steps.firstIndex(where: { $0.id.text == name }) else {
      let nearest = NearestName.of(name, among: steps.map(\.id.text)).map { "; did you mean '\($0)'?" } ?? ""
      throw AnswerProblem(description: "this workflow has no step '\(name)'\(nearest)")
    }
    let step = StepIndex(index)
    let (open, others) = state.withLock { state in (state.questions[step], state.questions.keys.sorted()) }
    guard let open else {
      let asking = others.map { "'\(stepID(of: $0))'" }.joined(separator: ", ")
      let hint = others.isEmpty ? "" : "; those that ask are \(asking)"
      throw AnswerProblem(description: "step '\(name)' asks nothing now\(hint)")
    }
    guard open.question.choices.contains(choice) else {
      let choices = open.question.choices
      let nearest = NearestName.of(choice, among: choices).map { "; did you mean '\($0)'?" } ?? ""
      throw AnswerProblem(
        description:
          "'\(choice)' is none of the choices of step '\(name)', \(choices.joined(separator: ", "))\(nearest)")
    }
    let isFirst = state.withLock { state in
      guard state.questions[step]?.attempt == open.attempt else { return false }
      state.questions[step] = nil
      return true
    }
    guard isFirst else { throw AnswerProblem(description: "step '\(name)' has been answered just now") }
    let answer = Answer(choice, by: by, atMilliseconds: WallTime.now)
    emit(.stepQuestionEnded(stepID(of: step), answer))
    open.handler(answer)
  }
}
