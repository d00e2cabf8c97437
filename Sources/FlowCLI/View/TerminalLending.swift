import FlowCommandKit
import FlowEngine
import FlowSystem

/// Allows interactive steps to use the terminal. Until such a step has ended, flowrun removes its region and delays its
/// output.
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

  /// Moves the cursor to the start of the line, or to the start of the next line if this line has text. The spaces end
  /// in the last column of an empty line and wrap to the next line otherwise.
  private static var lineStart: String {
    String(repeating: " ", count: max(0, TerminalSize.current.columns - 1)) + "\r"
  }

  /// Restores the usual modes of the terminal, because a killed program may leave others: normal screen, visible
  /// cursor, no reports of the mouse and of paste, no color.
  private static let usualModes =
    "\u{1B}[?47l\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[0m"
}
