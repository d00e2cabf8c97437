import FlowModel
import FlowPluginKit
import FlowPlatform

/// Asks a person and waits, without holding a thread, until someone answers.
struct Ask: AsyncAction {
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
    @Field("The choice when no answer arrives in time; without it, the step fails") var `default`: String?
    @Field("How long to wait for an answer") var timeout = Duration.seconds(86_400)
  }

  struct Output: ActionOutput {
    var choice: String
    var by: String
    var at: String

    static let summaries = [
      "choice": "The answer", "by": "Who answered; `timeout` if there was no answer",
      "at": "When, as 2026-01-31T12:00:00Z",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
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

  private static func problem(with choices: [String]) -> String? {
    if choices.count < 2 { return "a question needs two choices or more" }
    if choices.contains(where: { $0.isEmpty || $0.contains { $0.isNewline } }) {
      return "a choice needs a name of one line"
    }
    return Set(choices).count < choices.count ? "a choice appears twice" : nil
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    if let problem = Self.problem(with: input.choices) {
      throw ActionError("question", problem, isRetryable: false)
    }
    if let choice = input.default, !input.choices.contains(choice) {
      throw ActionError("question", "the default '\(choice)' is not one of the choices", isRetryable: false)
    }
    let choices = input.choices.map { $0 == input.default ? "\($0), the default" : $0 }.joined(separator: "; ")
    context.log(
      "asks: \(input.question) (\(choices)); flowrun answer \(context.questionAddress) CHOICE")
    let question = Question(input.question, choices: input.choices, defaultChoice: input.default)
    if let answer = try await context.ask(question, within: input.timeout) {
      context.log("\(answer.choice), says \(answer.by)")
      return Output(choice: answer.choice, by: answer.by, at: WallTime.text(answer.atMilliseconds))
    }
    let time = DurationText.format(input.timeout)
    guard let choice = input.default else {
      throw ActionError("no-answer", "no answer arrived within \(time)", isRetryable: false)
    }
    context.log("\(choice), since no answer arrived within \(time)")
    return Output(choice: choice, by: "timeout", at: WallTime.text(WallTime.now))
  }
}
