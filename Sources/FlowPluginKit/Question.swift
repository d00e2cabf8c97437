import FlowModel

/// A question that a step asks a person.
public struct Question: Sendable, Hashable {
  /// The text that the person reads.
  public var text: String
  /// The allowed answers to a question of the kind ``Kind/choice``.
  public var choices: [String]
  /// The answer that is used if no answer comes in time, or nil if there is no such answer.
  package var defaultChoice: String?
  /// The kind of answer that is expected.
  public var kind = Kind.choice
  /// The last output lines of the step's dependencies, which the person sees above the question. The run adds them.
  package var printed: [Printed] = []

  /// The kinds of answers to a question.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One of the given choices.
    case choice
    /// One line of text.
    case text
    /// One line of text that is neither shown nor recorded.
    case secret
  }

  /// The last output lines of one step.
  package struct Printed: Sendable, Hashable {
    /// The step that printed the lines.
    package var step: StepID
    package var lines: [String]

    package init(step: StepID, lines: [String]) {
      self.step = step
      self.lines = lines
    }
  }

  /// Creates a question whose answer is one of several choices.
  package init(_ text: String, choices: [String], defaultChoice: String? = nil) {
    self.text = text
    self.choices = choices
    self.defaultChoice = defaultChoice
  }

  /// Creates a question whose answer is a line of text, possibly a secret.
  package init(_ text: String, kind: Kind, default: String? = nil) {
    self.text = text
    self.kind = kind
    choices = []
    defaultChoice = `default`
  }

  /// Returns the reason why an answer is not valid, or nil if it is.
  package func problem(with answer: String) -> String? {
    if kind == .choice { return choices.contains(answer) ? nil : "'\(answer)' is not a choice" }
    if answer.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) { return "the answer must be one line" }
    switch kind {
    case .choice: return nil
    case .text:
      if answer.isEmpty, defaultChoice != "" { return "the answer is empty" }
      let count = answer.utf8.count
      return count > Limits.answerBytes ? "the answer has \(count) bytes; the limit is \(Limits.answerBytes)" : nil
    case .secret:
      if answer.count < Limits.secretCharacters {
        return
          "a secret has at least \(Limits.secretCharacters) characters, because a shorter one would be found in every text"
      }
      let most = Limits.secretAnswerBytes
      return answer.utf8.count > most ? "a secret answer has at most \(most) bytes" : nil
    }
  }
}

/// A person's answer to a question.
public struct Answer: Sendable, Hashable {
  /// The chosen word, or the entered text.
  package var choice: String
  /// The name of the person who answered.
  package var by: String
  /// The time of the answer, in milliseconds since 1970.
  package var atMilliseconds: Int

  /// Creates an answer. `by` is the name of the person.
  public init(_ choice: String, by: String, atMilliseconds: Int) {
    self.choice = choice
    self.by = by
    self.atMilliseconds = atMilliseconds
  }
}

extension ActionContext {
  /// Asks a person and waits for the answer without occupying a thread. Returns nil if there is no answer within
  /// `limit`. Throws a `CancellationError` if the step is cancelled. A step may ask only one question at a time.
  public nonisolated(nonsending) func ask(_ question: Question, within limit: Duration) async throws -> Answer? {
    try checkCancellation()
    let answer = OneShot<Result<Answer?, any Error>>()
    host.ask(question, step: step, attempt: attempt) { answer.finish(.success($0)) }
    host.wake(after: limit) { answer.finish(.success(nil)) }
    onCancel { answer.finish(.failure(CancellationError())) }
    defer { host.withdrawQuestion(of: step, attempt: attempt) }
    return try await withTaskCancellationHandler {
      try await answer.wait().get()
    } onCancel: {
      answer.finish(.failure(CancellationError()))
    }
  }
}
