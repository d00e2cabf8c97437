import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowPlatform
import FlowSecrets

/// A question that a step waits with.
struct OpenQuestion {
  let question: Question
  let attempt: Int
  let handler: @Sendable (Answer) -> Void
}

/// A question of a step in the workflow of an item.
struct OuterQuestion {
  let step: StepIndex
  let open: OpenQuestion
}

// What steps ask people.
extension WorkflowRun {
  /// Why an answer is none.
  public struct AnswerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what would be right.
    public let description: String
  }

  /// Asks a person: the observer is notified, and anyone who answers calls ``answer(_:with:by:)``. What an item's workflow
  /// asks, the item does in the run that it is one of.
  public func ask(
    _ question: Question, step: StepIndex, attempt: Int, _ handler: @escaping @Sendable (Answer) -> Void
  ) {
    var question = question
    question.printed = linesPrinted(before: step) + question.printed
    if let outer = options.outer {
      return ask(
        outer, OuterQuestion(step: step, open: OpenQuestion(question: question, attempt: attempt, handler: handler)))
    }
    state.withLock {
      $0.questions[step] = OpenQuestion(question: question, attempt: attempt, handler: handler)
    }
    emit(.stepAsked(stepID(of: step), question))
  }

  /// The step that asks a step's questions: for a step inside an item's workflow, the item.
  public func questionAddress(of step: StepIndex) -> String {
    if let outer = options.outer { return outer.run.questionAddress(of: outer.instance) }
    return "\(run.id.suffix(8)) \(stepID(of: step))"
  }

  /// The step waits for an answer no longer.
  public func withdrawQuestion(of step: StepIndex, attempt: Int) {
    if let outer = options.outer { return endQuestion(of: step, attempt: attempt, outer, isAnswered: false) }
    let isOpen = state.withLock { state in
      guard state.questions[step]?.attempt == attempt else { return false }
      state.questions[step] = nil
      return true
    }
    if isOpen { emit(.stepQuestionEnded(stepID(of: step), nil)) }
  }

  /// The number of lines that a question shows of each step.
  private static let shownLines = 10

  /// The last lines that the steps printed on which a step depends, unless they are quiet: what they gave as their standard output,
  /// or as standard error.
  private func linesPrinted(before step: StepIndex) -> [Question.Printed] {
    let steps = prepared.graph.workflow.steps
    let needs = steps[Int(instances.owner(of: step))].needs.filter {
      !steps[Int($0)].hasOptions || !steps[Int($0)].options.isQuiet
    }
    let outputs = state.withLock { state in needs.map { ($0, state.outputs[$0]) } }
    return outputs.compactMap { need, outputs in
      let texts = ["stdout", "stderr"].compactMap { outputs?[$0]?.stringValue }
      guard let text = texts.first(where: { !$0.allSatisfy(\.isNewline) }) else { return nil }
      let lines = text.split(whereSeparator: \.isNewline).suffix(Self.shownLines).map(String.init)
      return Question.Printed(step: stepID(of: need), lines: lines)
    }
  }

  /// Answers the question that a step waits with; the first answer counts.
  public func answer(_ name: String, with choice: String, by: String) throws(AnswerProblem) {
    try answer(name, with: choice, by: by, isRecorded: false)
  }

  /// - Parameter isRecorded: whether the answer has come in a form that is written somewhere, which a secret must not be.
  func answer(_ name: String, with choice: String, by: String, isRecorded: Bool) throws(AnswerProblem) {
    let steps = prepared.graph.workflow.steps
    let asking = state.withLock { $0.questions.keys.sorted() }
    guard let step = asking.first(where: { stepID(of: $0).text == name }) ?? index(ofStep: name) else {
      let nearest = NearestName.of(name, among: steps.map(\.id.text)).map { "; did you mean '\($0)'?" } ?? ""
      throw AnswerProblem(description: "this workflow has no step '\(name)'\(nearest)")
    }
    let (open, others) = state.withLock { state in (state.questions[step], state.questions.keys.sorted()) }
    guard let open else {
      let asking = others.map { "'\(stepID(of: $0))'" }.joined(separator: ", ")
      let hint = others.isEmpty ? "" : "; the asking steps are \(asking)"
      throw AnswerProblem(description: "step '\(name)' is not asking anything\(hint)")
    }
    let question = open.question
    if question.kind == .secret, isRecorded {
      throw AnswerProblem(
        description:
          "step '\(name)' asks for a secret; leave it out of the command, and flowrun answer reads it from the terminal"
      )
    }
    if question.kind != .choice, let problem = question.problem(with: choice) {
      throw AnswerProblem(description: problem)
    }
    guard question.kind != .choice || question.choices.contains(choice) else {
      let choices = open.question.choices
      let nearest = NearestName.of(choice, among: choices).map { "; did you mean '\($0)'?" } ?? ""
      throw AnswerProblem(
        description:
          "'\(choice)' is not a choice of step '\(name)'; the choices are \(choices.joined(separator: ", "))\(nearest)")
    }
    let isFirst = state.withLock { state in
      guard state.questions[step]?.attempt == open.attempt else { return false }
      state.questions[step] = nil
      return true
    }
    guard isFirst else { throw AnswerProblem(description: "step '\(name)' has already been answered") }
    let answer = Answer(choice, by: by, atMilliseconds: WallTime.now)
    var shown = answer
    if question.kind == .secret {
      hideAnswer(choice, of: step)
      shown.choice = SecretMask.hidden
    }
    emit(.stepQuestionEnded(stepID(of: step), shown))
    open.handler(answer)
  }

  /// Makes an answer a secret of the run, before anything can tell it.
  private func hideAnswer(_ text: String, of step: StepIndex) {
    mask?.add([(SecretMask.answerPrefix + stepID(of: step).text, text)])
  }

  private func index(ofStep name: String) -> StepIndex? {
    prepared.graph.workflow.steps.firstIndex { $0.id.text == name }.map { StepIndex($0) }
  }

  // MARK: In the workflow of an item

  /// An item asks one thing at a time: what several steps of its workflow ask comes one after the other.
  private func ask(_ outer: OuterRun, _ question: OuterQuestion) {
    let isFirst = state.withLock { state in
      state.outerQuestions.append(question)
      return state.outerQuestions.count == 1
    }
    if isFirst { askNext(outer) }
  }

  private func askNext(_ outer: OuterRun) {
    guard let next = state.withLock({ $0.outerQuestions.first }) else { return }
    outer.run.ask(next.open.question, step: outer.instance, attempt: outer.attempt) { [self] answer in
      if next.open.question.kind == .secret { hideAnswer(answer.choice, of: next.step) }
      endQuestion(of: next.step, attempt: next.open.attempt, outer, isAnswered: true)
      next.open.handler(answer)
    }
  }

  private func endQuestion(of step: StepIndex, attempt: Int, _ outer: OuterRun, isAnswered: Bool) {
    let wasFirst = state.withLock { state in
      let index = state.outerQuestions.firstIndex { $0.step == step && $0.open.attempt == attempt }
      if let index { state.outerQuestions.remove(at: index) }
      return index == 0
    }
    guard wasFirst else { return }
    if !isAnswered { outer.run.withdrawQuestion(of: outer.instance, attempt: outer.attempt) }
    askNext(outer)
  }
}
