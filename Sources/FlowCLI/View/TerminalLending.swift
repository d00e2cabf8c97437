import FlowCommandKit
import FlowEngine
import FlowSystem

/// Allows interactive steps to use the terminal. While one of them does, flowrun removes its region from the screen and
/// delays its output.
enum TerminalLending {
  static func isPossible(_ request: RunRequest) -> Bool {
    !request.isJSON && !Environment.isContinuousIntegration && ForegroundTerminal.isOwn
  }

  /// Allows steps to use the terminal from now on.
  static func offer(_ run: WorkflowRun, _ view: TerminalView?, _ style: TextStyle) {
    ExitStatus.whenEnding { ForegroundTerminal.restore() }
    ForegroundTerminal.offer(
      ForegroundTerminal.Host(
        makeRoom: { step in
          view?.pause(run)
          StandardOutput.write("\(style.cyan("▶")) \(step)\n")
          StandardOutput.hold()
        },
        resume: { isKilled in
          StandardOutput.release(
            beginning: isKilled && Environment.isTerminalCapable ? usualModes + lineStart : lineStart)
          view?.resume()
        }))
  }

  /// Text that moves the cursor to the beginning of the line or, if the line contains text, of the next line. It
  /// consists of one space less than the terminal has columns, and a carriage return. If the line contains text, the
  /// spaces wrap.
  private static var lineStart: String {
    String(repeating: " ", count: max(0, TerminalSize.current.columns - 1)) + "\r"
  }

  /// Restores the usual modes of the terminal: normal screen, visible cursor, no reports of mouse and paste events, no
  /// color. A program that was killed may have left others.
  private static let usualModes =
    "\u{1B}[?47l\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[0m"
}
