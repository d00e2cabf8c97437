import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowPlatform
import FlowSecrets

// Secrets are hidden in everything that a run reports or records.
extension WorkflowRun {
  /// Returns the failure with secrets hidden and control characters replaced. Long lines are cut.
  func hidden(_ failure: StepFailure) -> StepFailure {
    let message =
      mask?.masked(message: failure.message, cutAfter: LastLines.lineBytes) ?? TerminalText.commandText(failure.message)
    return StepFailure(code: failure.code, message: message)
  }
}

extension StepFailure {
  /// Returns the failure for an output that contains a secret in a form that cannot be restored from a placeholder.
  static func spreadSecret(_ name: String) -> StepFailure {
    StepFailure(
      code: "secret-in-output",
      message:
        "an output holds the secret '\(name)' in a form that a resume could not restore: in pieces, with spaces, line "
        + "breaks or control characters between, or encoded in several ways at once; keep it out of what the step returns"
    )
  }
}

extension RunEvent.Kind {
  /// Returns the event with all secrets hidden.
  func masked(by mask: SecretMask) -> RunEvent.Kind {
    switch self {
    case .stepLog(let step, let level, let stream, let message):
      .stepLog(step, level: level, stream: stream, message: mask.masked(printed: message))
    case .stepUnfinishedLine(let step, let stream, let line):
      .stepUnfinishedLine(step, stream: stream, line: mask.masked(printed: line))
    case .pluginLog(let plugin, let stream, let message):
      .pluginLog(plugin: plugin, stream: stream, message: mask.masked(printed: message))
    case .stepProgress(let step, let fraction, let message):
      .stepProgress(step, fraction: fraction, message: mask.masked(printed: message))
    case .stepAsked(let step, let question):
      .stepAsked(step, question.masked(by: mask))
    case .stepQuestionEnded(let step, let answer?):
      .stepQuestionEnded(
        step, Answer(mask.masked(answer.choice), by: mask.masked(answer.by), atMilliseconds: answer.atMilliseconds))
    case .warning(let message): .warning(mask.masked(printed: message))
    default: self
    }
  }
}

extension Question {
  fileprivate func masked(by mask: SecretMask) -> Question {
    var question = self
    question.text = mask.masked(printed: text)
    question.defaultChoice = defaultChoice.map { mask.masked($0) }
    for index in printed.indices {
      question.printed[index].lines = printed[index].lines.map { mask.masked(printed: $0) }
    }
    return question
  }
}

extension RunHeader {
  /// Returns the header with placeholders instead of secrets, for the journal.
  func withPlaceholders(by mask: SecretMask) -> RunHeader {
    var header = self
    header.inputs = mask.withPlaceholders(inputs)
    header.environment = mask.withPlaceholders(environment)
    header.inherited = mask.withPlaceholders(inherited)
    header.launch.options = mask.withPlaceholders(launch.options)
    header.hasPlaceholders = true
    return header
  }

  /// Returns the header with secrets instead of placeholders. Throws if a placeholder cannot be replaced.
  func filled(by mask: SecretMask?) throws(SecretMask.MissingSecret) -> RunHeader {
    guard hasPlaceholders else { return self }
    var header = self
    header.inputs = try SecretMask.filled(inputs, by: mask)
    header.environment = try SecretMask.filled(environment, by: mask)
    header.inherited = try SecretMask.filled(inherited, by: mask)
    header.launch.options = try SecretMask.filled(launch.options, by: mask)
    return header
  }
}
