import FlowCommandKit
import FlowEngine
import FlowSystem

/// Lends the terminal to interactive steps: flowrun removes its region and keeps its output until the step has ended.
enum TerminalLending {
  /// True if steps of a run can use the terminal.
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

  /// Moves the cursor to the beginning of the line, or of the next line if this one has text: the spaces either fill
  /// the line up to its last column or wrap to the next line.
  private static var lineStart: String {
    String(repeating: " ", count: max(0, TerminalSize.current.columns - 1)) + "\r"
  }

  /// Restores the default modes, which killed programs leave changed: normal screen, visible cursor, no reports of
  /// mouse and paste, no color.
  private static let usualModes =
    "\u{1B}[?47l\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[0m"
}
