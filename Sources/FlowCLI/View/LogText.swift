import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit

/// What steps log and why they fail, as lines for people: nothing in a text can begin a line that looks like another's.
enum LogText {
  /// The lines of a log message, each behind the step's id, with the level in words where there is one to tell.
  static func lines(_ step: StepID, _ level: LogLevel, _ message: String, _ style: TextStyle) -> [String] {
    lines(level, message, style, before: "\(step): ")
  }

  /// The lines of a log message, each behind `prefix` and the level in words.
  static func lines(_ level: LogLevel, _ message: String, _ style: TextStyle, before prefix: String = "") -> [String] {
    message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      colored(prefix + word(level) + TerminalText.commandLine(String(line)), level, style)
    }
  }

  /// A line that the step's command or program wrote; its own colors stay where colors are shown.
  static func commandLine(_ step: String, _ line: String, _ style: TextStyle) -> String {
    "\(step): \(TerminalText.commandLine(line, keepsColors: style.isColored))"
  }

  /// A message of several lines: the first as it is, the others behind a bar.
  static func paragraph(_ message: String) -> [String] {
    message.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { number, line in
      (number == 0 ? "" : "  | ") + TerminalText.commandLine(String(line))
    }
  }

  /// The first line of a message, for where there is room for no more.
  static func headline(_ message: String) -> String {
    let first = message.prefix { $0 != "\n" }
    return TerminalText.commandLine(String(first.count < message.count && first.last == ":" ? first.dropLast() : first))
  }

  /// A failure behind what failed: `: no network [no-network]`.
  static func cause(_ failure: StepFailure?) -> [String] {
    guard let failure else { return [""] }
    var lines = paragraph(failure.message)
    lines[0] = ": " + lines[0]
    lines[lines.count - 1] += " [\(TerminalText.visible(failure.code))]"
    return lines
  }

  /// The level, where it is not the usual one; colors alone do not reach everybody.
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
