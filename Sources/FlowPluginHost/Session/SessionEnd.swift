import FlowModel
import FlowPluginKit
import FlowSystem

/// The reason for the end of the conversation with a program.
enum SessionEnd: Sendable {
  /// It ended by itself.
  case exited
  /// It closed its standard output.
  case closedOutput
  /// It closed its standard input.
  case closedInput
  /// It wrote a line that is not a message.
  case garbage(beginning: String, problem: String)
  /// It wrote a line longer than the limit.
  case lineTooLong(beginning: String, limit: Int)
  /// It did not answer `initialize` in time.
  case silentStart(Duration)
  /// It did not stop a cancelled call in time.
  case ignoredCancel(step: String, Duration)
  /// It sent too many messages that do not belong to any call.
  case strayMessages(Int)
  /// It does not read its input.
  case inputUnread(bytes: Int)
  /// It announced its end on standard error.
  case announced
  /// It did not answer pings for this time.
  case noPulse(Duration)
  /// The host asked it to end.
  case stopped

  /// True if unread answers in the pipe still count.
  var leavesAnswers: Bool {
    switch self {
    case .garbage, .lineTooLong, .strayMessages: false
    default: true
    }
  }

  /// True if it may be the first sign of the program's end.
  var isPerhapsExit: Bool {
    switch self {
    case .closedOutput, .closedInput: true
    default: false
    }
  }

  /// True if a call that the program has not read may be passed to its successor.
  var permitsHandover: Bool {
    switch self {
    case .stopped, .silentStart, .inputUnread, .noPulse: false
    default: true
    }
  }

  /// The error of a pending call. `program` is the program's name in messages, and `remains` describes what it left
  /// behind.
  func error(plugin: String, program: String, status: TerminationStatus, remains: String) -> ActionError {
    switch self {
    case .exited:
      ActionError("plugin-exited", "\(program) \(status) before it answered\(remains)")
    case .closedOutput:
      ActionError(
        "plugin-exited",
        "\(program) closed its standard output before it answered\(remains)")
    case .closedInput:
      ActionError(
        "plugin-exited",
        "\(program) closed its standard input before it answered\(remains)")
    case .garbage(let beginning, let problem):
      protocolError(
        "the plugin '\(plugin)' wrote a line on its standard output \(problem): \"\(beginning)\"; standard output carries"
          + " only protocol messages, write everything else to standard error")
    case .lineTooLong(let beginning, let limit):
      protocolError(
        "the plugin '\(plugin)' wrote a line of more than \(limit >> 20) MiB on its standard output, beginning with"
          + " \"\(beginning)\"; write large data to a file and give its path")
    case .silentStart(let time):
      ActionError(
        "plugin-start",
        "\(program) did not answer 'initialize' within \(DurationText.format(time))"
          + remains, isRetryable: false)
    case .ignoredCancel(let step, let time):
      ActionError(
        "plugin-ended",
        "\(program) was ended because it did not stop the cancelled call of step '\(step)'"
          + " within \(DurationText.format(time))")
    case .strayMessages(let count):
      protocolError("the plugin '\(plugin)' sent \(count) messages that do not belong to any call")
    case .inputUnread(let bytes):
      ActionError(
        "plugin-stuck",
        "\(program) does not read its standard input: \(bytes >> 20) MiB wait for it")
    case .announced: ActionError("plugin-exited", "\(program) was ended before it answered\(remains)")
    case .noPulse(let time):
      ActionError(
        "plugin-stuck", "'\(plugin)' has not answered for \(DurationText.format(time))\(remains)", isRetryable: false)
    case .stopped:
      ActionError("plugin-stopped", "the plugin '\(plugin)' was stopped before it answered", isRetryable: false)
    }
  }

  private func protocolError(_ message: String) -> ActionError {
    ActionError("plugin-protocol", message, isRetryable: false)
  }
}
