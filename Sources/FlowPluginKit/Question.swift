/// What a step asks a person.
public struct Question: Sendable, Hashable {
  /// The question.
  public var text: String
  /// What may be answered.
  public var choices: [String]
  /// The choice if none is made; nil: there is no default.
  public var defaultChoice: String?

  /// A question with its choices.
  public init(_ text: String, choices: [String], defaultChoice: String? = nil) {
    self.text = text
    self.choices = choices
    self.defaultChoice = defaultChoice
  }
}

/// What a person answered.
public struct Answer: Sendable, Hashable {
  /// One of the question's choices.
  public var choice: String
  /// Who.
  public var by: String
  /// When, in milliseconds since 1970.
  public var atMilliseconds: Int

  /// An answer.
  public init(_ choice: String, by: String, atMilliseconds: Int) {
    self.choice = choice
    self.by = by
    self.atMilliseconds = atMilliseconds
  }
}

extension ActionContext {
  /// Asks a person and waits for the answer without holding a thread; nil: no answer arrived within `limit`. Throws
  /// `CancellationError` as soon as the step is cancelled. A step asks one question at a time.
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
