import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowPlatform
import FlowSecrets

/// A question of a step that has not been answered.
struct OpenQuestion {
  let question: Question
  let attempt: Int
  let handler: @Sendable (Answer) -> Void
}

/// An unanswered question of a step in an item's workflow.
struct OuterQuestion {
  let step: StepIndex
  let open: OpenQuestion
}

extension Workflow {
  /// Returns the steps whose output is shown with a question about `step`: the step itself or, if it includes a file,
  /// the steps of that file. Quiet steps are omitted.
  package func printingSteps(_ step: StepIndex) -> [StepIndex] {
    guard steps[Int(step)].hasOptions else { return [step] }
    let options = steps[Int(step)].options
    if options.isQuiet || options.includeRole == .entry { return [] }
    guard options.includeRole == .exit else { return [step] }
    return scopes.first { $0.exit == step }?.members.flatMap(printingSteps) ?? []
  }
}

extension Question.Printed {
  /// Returns the last `count` lines of `all` together, in their order.
  package static func last(_ count: Int, of all: [Question.Printed]) -> [Question.Printed] {
    var printed: [Question.Printed] = []
    var room = count
    for part in all.reversed() where room > 0 {
      printed.append(Question.Printed(step: part.step, lines: part.lines.suffix(room)))
      room -= printed[printed.count - 1].lines.count
    }
    return printed.reversed()
  }
}

// Steps can ask people questions.
extension WorkflowRun {
  /// The error that is thrown for an answer that the question does not allow.
  public struct AnswerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// A message with the problem and a suggestion.
    public let description: String
  }

  /// Asks a person a question through the observer. `handler` is called with the answer (``answer(_:with:by:)``). In
  /// the run of an item, the item asks the question in the outer run.
  package func ask(
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

  /// Returns the arguments of `flowrun answer` for a step's question. In the run of an item, they name the item.
  package func questionAddress(of step: StepIndex) -> String {
    if let outer = options.outer { return outer.run.questionAddress(of: outer.instance) }
    return "\(run.id.suffix(8)) \(stepID(of: step))"
  }

  /// Withdraws the question of an attempt, if it has not been answered.
  package func withdrawQuestion(of step: StepIndex, attempt: Int) {
    if let outer = options.outer { return endQuestion(of: step, attempt: attempt, outer, isAnswered: false) }
    let isOpen = state.withLock { state in
      guard state.questions[step]?.attempt == attempt else { return false }
      state.questions[step] = nil
      return true
    }
    if isOpen { emit(.stepQuestionEnded(stepID(of: step), nil)) }
  }

  /// The maximum number of output lines that a question shows for each dependency. The lines of a dependency's items,
  /// or of the file that it includes, are counted together.
  package static let shownLines = 10

  /// Returns the last output lines of the step's dependencies, without those of quiet steps.
  private func linesPrinted(before step: StepIndex) -> [Question.Printed] {
    let needs = prepared.graph.workflow.steps[Int(instances.owner(of: step))].needs
    return needs.flatMap { need in
      Question.Printed.last(
        Self.shownLines, of: prepared.graph.workflow.printingSteps(need).flatMap(linesPrinted(by:)))
    }
  }

  /// Returns the last output lines of a step or, if it is a fan-out, of its last items.
  private func linesPrinted(by step: StepIndex) -> [Question.Printed] {
    guard let outputs = state.withLock({ $0.outputs[step] }) else { return [] }
    let values = ["stdout", "stderr"].compactMap { outputs[$0] }
    guard let count = values.lazy.compactMap({ $0.arrayValue?.count }).first else {
      return Self.lines(values).map { [Question.Printed(step: stepID(of: step), lines: $0)] } ?? []
    }
    return (0..<count).suffix(Self.shownLines).compactMap { item in
      let texts = values.compactMap { $0.arrayValue.flatMap { $0.indices.contains(item) ? $0[item] : nil } }
      let id = StepID(unchecked: "\(stepID(of: step))[\(item)]")
      return Self.lines(texts).map { Question.Printed(step: id, lines: $0) }
    }
  }

  /// Returns the last lines of the first value that is a string with visible text, or nil if there is none.
  private static func lines(_ values: [Value]) -> [String]? {
    let texts = values.lazy.compactMap(\.stringValue)
    guard let text = texts.first(where: { !$0.allSatisfy(\.isNewline) }) else { return nil }
    return text.split(whereSeparator: \.isNewline).suffix(shownLines).map(String.init)
  }

  /// Answers the question of a step, named by its id. Throws an ``AnswerProblem`` if the step does not ask anything,
  /// the question does not allow the answer, or it was answered before.
  public func answer(_ name: String, with choice: String, by: String) throws(AnswerProblem) {
    try answer(name, with: choice, by: by, isRecorded: false)
  }

  /// - Parameter isRecorded: True if the answer is stored somewhere, such as in a shell's history. A secret answer must
  ///   not be stored.
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

  /// Adds an answer to the run's secrets, so that it is hidden from now on.
  private func hideAnswer(_ text: String, of step: StepIndex) {
    mask?.add([(SecretMask.answerPrefix + stepID(of: step).text, text)])
  }

  func index(ofStep name: String) -> StepIndex? {
    prepared.graph.workflow.steps.firstIndex { $0.id.text == name }.map { StepIndex($0) }
  }

  // MARK: In the workflow of an item

  /// Asks a question through the item of the outer run. An item asks one question at a time.
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
