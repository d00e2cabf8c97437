import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit

/// Formats log messages and failures as lines. No text in them can produce a line that looks like one of another step.
enum LogText {
  /// Returns the lines of a log message. Each begins with the step's id, and with the level if that is not the default.
  static func lines(_ step: StepID, _ level: LogLevel, _ message: String, _ style: TextStyle) -> [String] {
    lines(level, message, style, before: "\(step): ")
  }

  /// Returns the lines of a log message. Each begins with `prefix`, and with the level if that is not the default.
  static func lines(_ level: LogLevel, _ message: String, _ style: TextStyle, before prefix: String = "") -> [String] {
    message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      colored(prefix + word(level) + TerminalText.commandLine(String(line)), level, style)
    }
  }

  /// Returns a line that the command or program of a step has printed. Its colors are kept if colors are shown.
  static func commandLine(_ step: String, _ line: String, _ style: TextStyle) -> String {
    "\(step): \(TerminalText.commandLine(line, keepsColors: style.isColored))"
  }

  /// Returns the lines of a message. All except the first begin with a bar.
  static func paragraph(_ message: String) -> [String] {
    message.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { number, line in
      (number == 0 ? "" : "  | ") + TerminalText.commandLine(String(line))
    }
  }

  /// Returns the first line of a message, without a colon at its end.
  static func headline(_ message: String) -> String {
    let first = message.prefix { $0 != "\n" }
    return TerminalText.commandLine(String(first.count < message.count && first.last == ":" ? first.dropLast() : first))
  }

  /// Returns the lines of a failure in the form that follows a step's name, such as `: no network [no-network]`.
  static func cause(_ failure: StepFailure?) -> [String] {
    guard let failure else { return [""] }
    var lines = paragraph(failure.message)
    lines[0] = ": " + lines[0]
    lines[lines.count - 1] += " [\(TerminalText.visible(failure.code))]"
    return lines
  }

  /// Returns the word for a level, or an empty string for the default. Colors alone are not enough, because not
  /// everyone sees them.
  static func word(_ level: LogLevel) -> String {
    switch level {
    case .debug: "debug: "
    case .info: ""
    case .warning: "warning: "
    case .error: "error: "
    }
  }

  static func colored(_ text: String, _ level: LogLevel, _ style: TextStyle) -> String {
    switch level {
    case .debug: style.dim(text)
    case .info: text
    case .warning: style.yellow(text)
    case .error: style.red(text)
    }
  }
}
