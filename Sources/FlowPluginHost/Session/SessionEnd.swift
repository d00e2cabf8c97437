import FlowModel
import FlowPluginKit
import FlowSystem

/// The reason why a session ended.
enum SessionEnd: Sendable {
  /// The program ended on its own.
  case exited
  /// The program closed its standard output.
  case closedOutput
  /// The program closed its standard input.
  case closedInput
  /// The program wrote a line that is not a valid message.
  case garbage(beginning: String, problem: String)
  /// The program wrote a line that exceeds the limit.
  case lineTooLong(beginning: String, limit: Int)
  /// The program did not answer `initialize` in time.
  case silentStart(Duration)
  /// The program did not end a cancelled call in time.
  case ignoredCancel(step: String, Duration)
  /// The program sent too many messages that do not belong to a call.
  case strayMessages(Int)
  /// The program does not read its standard input.
  case inputUnread(bytes: Int)
  /// The transport announced its end on standard error.
  case announced
  /// The worker has not answered pings for the given time.
  case noPulse(Duration)
  /// The host asked the program to end.
  case stopped

  /// True if answers that are still in the pipe can be trusted.
  var leavesAnswers: Bool {
    switch self {
    case .garbage, .lineTooLong, .strayMessages: false
    default: true
    }
  }

  /// True if the actual reason may be the end of the program, which also closes its pipes.
  var isPerhapsExit: Bool {
    switch self {
    case .closedOutput, .closedInput: true
    default: false
    }
  }

  /// True if calls that the program has not read may be sent to the program that is started next.
  var permitsHandover: Bool {
    switch self {
    case .stopped, .silentStart, .inputUnread, .noPulse: false
    default: true
    }
  }

  /// Returns the error for a pending call. `program` is the name of the program in messages, and `remains` is a clause
  /// about an incomplete line and the last log lines.
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
