import FlowModel
import FlowPluginKit
import FlowPlatform

/// Asks a person a question and waits for the answer without occupying a thread.
struct Ask: AsyncAction, DetailedAction {
  static let name = "flow.ask"
  static let summary = "Asks a person, on the terminal or by `flowrun answer`, and waits for the answer"
  static let errors = [
    ErrorDeclaration("no-answer", "No answer arrived in time, and there is no default", isRetryable: false),
    ErrorDeclaration("question", "The question or its choices are invalid", isRetryable: false),
  ]
  static let example = """
    uses: flow.ask
    with: { question: "Put version 2 on the server?", choices: [deploy, stop], default: stop, timeout: 8h }
    """

  struct Input: ActionInput {
    @Field("The question") var question: String
    @Field("The choices, each once") var choices = ["yes", "no"]
    @Field("The choice or the text when no answer arrives in time; without it, the step fails") var `default`: String?
    @Field("How long to wait for an answer") var timeout = Duration.seconds(86_400)
    @Field("Whether any text of one line is an answer, and not a choice") var text = false
    @Field("Whether the answer is a secret, such as a password: a text that is shown and recorded nowhere") var secret =
      false
  }

  struct Output: ActionOutput {
    var choice: String
    var by: String
    var at: String
    var text: String?
    var secret: String?

    static let summaries = [
      "choice": "The choice; empty if a text or a secret was asked for",
      "by": "Who answered; `timeout` if there was no answer", "at": "When, as 2026-01-31T12:00:00Z",
      "text": "The text that was asked for", "secret": "The secret that was asked for",
    ]
    static let secrets: Set<String> = ["secret"]

    init(_ answer: String, _ kind: Question.Kind, by: String, at milliseconds: Int) {
      choice = kind == .choice ? answer : ""
      text = kind == .text ? answer : nil
      secret = kind == .secret ? answer : nil
      self.by = by
      at = WallTime.text(milliseconds)
    }

    var values: ValueObject {
      var values: ValueObject = ["choice": choice.value, "by": by.value, "at": at.value]
      if let text { values["text"] = text.value }
      if let secret { values["secret"] = secret.value }
      return values
    }
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    let isSecret = input["secret"] == true
    if isSecret || input["text"] == true {
      return textProblems(input, isSecret ? Question("", kind: .secret) : Question("", kind: .text, default: ""))
    }
    guard case .array(let values)? = input["choices"] else { return [] }
    let choices = values.compactMap(\.stringValue)
    guard choices.count == values.count else { return [] }
    if let problem = problem(with: choices) { return [InputProblem("choices", problem)] }
    guard case .string(let choice)? = input["default"], !choices.contains(choice) else { return [] }
    return [
      InputProblem(
        "default", "'\(choice)' is not one of the choices", help: "write one of \(choices.joined(separator: ", "))")
    ]
  }

  private static func textProblems(_ input: LiteralInput, _ question: Question) -> [InputProblem] {
    var problems: [InputProblem] = []
    let kind = question.kind.rawValue
    if input["choices"] != nil {
      problems.append(
        InputProblem("choices", "a question for a \(kind) has no choices", help: "remove 'choices' or '\(kind)'"))
    }
    if question.kind == .secret, input["default"] != nil {
      problems.append(InputProblem("default", "a secret cannot have a default", help: "remove 'default'"))
    } else if let text = input["default"]?.stringValue, let problem = question.problem(with: text) {
      problems.append(InputProblem("default", problem))
    }
    return problems
  }

  private static func problem(with choices: [String]) -> String? {
    if choices.count < 2 { return "a question needs two choices or more" }
    if choices.contains(where: { $0.isEmpty || $0.contains { $0.isNewline } }) {
      return "a choice needs a name of one line"
    }
    return Set(choices).count < choices.count ? "a choice appears twice" : nil
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let question = try Self.question(input)
    var call = "flowrun answer \(context.questionAddress)"
    switch question.kind {
    case .choice:
      let choices = input.choices.map { $0 == input.default ? "\($0), the default" : $0 }.joined(separator: "; ")
      context.log("asks: \(input.question) (\(choices)); \(call) CHOICE")
    case .text:
      call += " TEXT"
      let byDefault = input.default.map { "'\($0)', the default" } ?? "a text"
      context.log("asks: \(input.question) (\(byDefault)); \(call)")
    case .secret: context.log("asks: \(input.question) (a secret); \(call)")
    }
    if let answer = try await context.ask(question, within: input.timeout) {
      switch question.kind {
      case .choice: context.log("\(answer.by) chose \(answer.choice)")
      case .text: context.log("\(answer.by) answered \(answer.choice)")
      case .secret: context.log("answered by \(answer.by)")
      }
      return Output(answer.choice, question.kind, by: answer.by, at: answer.atMilliseconds)
    }
    let time = DurationText.format(input.timeout)
    guard question.kind != .secret, let choice = input.default else {
      throw ActionError("no-answer", "no answer arrived within \(time)", isRetryable: false)
    }
    context.log("\(choice), since no answer arrived within \(time)")
    return Output(choice, question.kind, by: "timeout", at: WallTime.now)
  }

  private static func question(_ input: Input) throws -> Question {
    func refuse(_ reason: String) -> ActionError { ActionError("question", reason, isRetryable: false) }
    if input.secret {
      if input.default != nil { throw refuse("a secret cannot have a default") }
      return Question(input.question, kind: .secret)
    }
    if input.text {
      let question = Question(input.question, kind: .text, default: input.default)
      if let text = input.default, let problem = question.problem(with: text) {
        throw refuse("the default: \(problem)")
      }
      return question
    }
    if let problem = Self.problem(with: input.choices) { throw refuse(problem) }
    if let choice = input.default, !input.choices.contains(choice) {
      throw refuse("the default '\(choice)' is not one of the choices")
    }
    return Question(input.question, choices: input.choices, defaultChoice: input.default)
  }
}
