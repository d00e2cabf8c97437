import FlowDiagnostics
import FlowModel
import FlowPluginKit

/// An event in a run.
public struct RunEvent: Sendable {
  /// The time, in nanoseconds from the start of the run.
  public var atNanoseconds: Int
  /// The kind of event, with its details.
  public var kind: Kind

  /// The kinds of events, each with its details.
  public enum Kind: Sendable {
    case runStarted(workflow: String, runID: String, dataFolder: String)
    /// `deferred` contains the steps whose `defer` expression is true in this run.
    case runActivated(reason: LaunchReason, deferred: [StepIndex])
    case stepReady(StepID)
    case stepStarted(StepID, attempt: Int, queue: String)
    case stepLog(StepID, level: LogLevel, stream: LogStream?, message: String)
    /// An unfinished line of a command's output. Sent only if ``RunOptions/showsUnfinishedLines`` is true.
    case stepUnfinishedLine(StepID, stream: LogStream, line: String)
    /// An output line of a plugin's program. It has no step, because the program runs actions for several steps.
    case pluginLog(plugin: String, stream: LogStream, message: String)
    case stepProgress(StepID, fraction: Double, message: String)
    /// A step asks a person a question.
    case stepAsked(StepID, Question)
    /// A question was answered, or it was withdrawn and the answer is nil.
    case stepQuestionEnded(StepID, Answer?)
    /// The items of a step are known, with these names.
    case stepItems(StepID, [String])
    case stepRetrying(StepID, attempt: Int, delayMilliseconds: Double, failure: StepFailure?)
    case stepFinished(StepID, FinishedStep)
    case gateLate(StepID)
    case gateOpened(GateOutcome)
    /// `number` is the number of the post if the event repeats, otherwise nil.
    case eventPosted(String, number: Int?)
    case warning(String)
    case runFinished(RunConclusion)
  }

  /// The result of a finished step.
  public struct FinishedStep: Sendable {
    package var outcome: Outcome
    /// The outcome, except that the failure or timeout of an optional step counts as a success.
    public var conclusion: Outcome
    /// The reason why the step was skipped, or nil if it was not.
    package var reason: SkipReason?
    /// The number of attempts that have started.
    public var attempts: Int
    /// The time from the step's first start to its end, or nil if it did not start.
    public var durationMilliseconds: Double?
    /// The failure of the last attempt, or nil if the step did not fail.
    public var failure: StepFailure?

    /// Creates the result of a step.
    package init(
      outcome: Outcome, conclusion: Outcome, reason: SkipReason? = nil, attempts: Int,
      durationMilliseconds: Double? = nil,
      failure: StepFailure? = nil
    ) {
      self.outcome = outcome
      self.conclusion = conclusion
      self.reason = reason
      self.attempts = attempts
      self.durationMilliseconds = durationMilliseconds
      self.failure = failure
    }
  }

  /// Creates an event from its time and kind.
  package init(atNanoseconds: Int, _ kind: Kind) {
    self.atNanoseconds = atNanoseconds
    self.kind = kind
  }
}

extension RunEvent {
  /// The event as a JSON object: `event`, `at` (milliseconds from the start of the run), and fields that depend on the
  /// kind.
  package var value: ValueObject {
    var object: ValueObject = ["event": .string(name), "at": .milliseconds(atNanoseconds)]
    switch kind {
    case .runStarted(let workflow, let runID, let dataFolder):
      object["workflow"] = .string(workflow)
      object["runId"] = .string(runID)
      object["data"] = .string(dataFolder)
    case .runActivated(let reason, _): object["reason"] = .string(reason.rawValue)
    case .stepReady(let step), .gateLate(let step): object["step"] = .string(step.text)
    case .stepStarted(let step, let attempt, let queue):
      object["step"] = .string(step.text)
      object["attempt"] = .integer(attempt)
      object["queue"] = .string(queue)
    case .stepLog(let step, let level, let stream, let message):
      object["step"] = .string(step.text)
      object["level"] = .string(level.rawValue)
      object["stream"] = stream.map { .string($0.rawValue) }
      object["message"] = .string(TerminalText.commandText(message))
    case .stepUnfinishedLine(let step, let stream, let line):
      object["step"] = .string(step.text)
      object["stream"] = .string(stream.rawValue)
      object["line"] = .string(TerminalText.commandText(line))
    case .pluginLog(let plugin, let stream, let message):
      object["plugin"] = .string(plugin)
      object["stream"] = .string(stream.rawValue)
      object["message"] = .string(TerminalText.commandText(message))
    case .stepProgress(let step, let fraction, let message):
      object["step"] = .string(step.text)
      object["fraction"] = .number(fraction)
      object["message"] = .string(TerminalText.commandText(message))
    case .stepAsked(let step, let question):
      object["step"] = .string(step.text)
      object["question"] = .string(TerminalText.commandText(question.text))
      object["choices"] = .array(question.choices.map { .string($0) })
      object["default"] = question.defaultChoice.map { .string($0) } ?? .null
      object["kind"] = .string(question.kind.rawValue)
      object["printed"] = .object(
        ValueObject(
          question.printed.map { printed in
            (printed.step.text, .array(printed.lines.map { .string(TerminalText.commandText($0)) }))
          }))
    case .stepQuestionEnded(let step, let answer):
      object["step"] = .string(step.text)
      object["choice"] = answer.map { .string($0.choice) } ?? .null
      object["by"] = answer.map { .string($0.by) } ?? .null
    case .stepItems(let step, let names):
      object["step"] = .string(step.text)
      object["items"] = .array(names.map { .string($0) })
    case .stepRetrying(let step, let attempt, let delay, let failure):
      object["step"] = .string(step.text)
      object["attempt"] = .integer(attempt)
      object["delayMilliseconds"] = .number(delay)
      object["error"] = failure.map(\.value) ?? .null
    case .stepFinished(let step, let finished):
      object["step"] = .string(step.text)
      object["outcome"] = .string(finished.outcome.word)
      object["conclusion"] = .string(finished.conclusion.word)
      object["reason"] = finished.reason.map { .string($0.word) } ?? .null
      object["attempts"] = .integer(finished.attempts)
      object["durationMilliseconds"] = finished.durationMilliseconds.map { .number($0) } ?? .null
      object["error"] = finished.failure.map(\.value) ?? .null
    case .gateOpened(let outcome): object["outcome"] = .string(outcome.word)
    case .eventPosted(let name, let number):
      object["name"] = .string(name)
      object["number"] = number.map { .integer($0) }
    case .warning(let message): object["message"] = .string(TerminalText.commandText(message))
    case .runFinished(let conclusion): object["conclusion"] = .string(conclusion.rawValue)
    }
    return object
  }

  /// The event as in ``value``, except that the colors of commands' output are kept. The journal stores this form.
  var recordedValue: ValueObject {
    var object = value
    switch kind {
    case .stepLog(_, _, _, let message), .pluginLog(_, _, let message):
      object["message"] = .string(TerminalText.commandText(message, keepsColors: true))
    default: break
    }
    return object
  }

  /// The name of the kind in the event stream, such as `step.finished`.
  public var name: String {
    switch kind {
    case .runStarted: "run.started"
    case .runActivated: "run.activated"
    case .stepReady: "step.ready"
    case .stepStarted: "step.started"
    case .stepLog: "step.log"
    case .stepUnfinishedLine: "step.unfinished-line"
    case .pluginLog: "plugin.log"
    case .stepProgress: "step.progress"
    case .stepAsked: "step.asked"
    case .stepQuestionEnded: "step.question-ended"
    case .stepItems: "step.items"
    case .stepRetrying: "step.retrying"
    case .stepFinished: "step.finished"
    case .gateLate: "gate.late"
    case .gateOpened: "gate.opened"
    case .eventPosted: "event.posted"
    case .warning: "run.warning"
    case .runFinished: "run.finished"
    }
  }
}

extension StepFailure {
  var value: Value { ["code": .string(code), "message": .string(message)] }
}

extension Value {
  /// Converts nanoseconds to milliseconds with three decimals.
  static func milliseconds(_ nanoseconds: Int) -> Value { .number(millisecondsOf(nanoseconds)) }

  static func milliseconds(_ nanoseconds: Int?) -> Value { nanoseconds.map { .milliseconds($0) } ?? .null }
}

/// Converts nanoseconds to milliseconds, rounded to three decimals.
func millisecondsOf(_ nanoseconds: Int) -> Double { (Double(nanoseconds) / 1000).rounded() / 1000 }
