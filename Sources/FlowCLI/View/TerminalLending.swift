import FlowCommandKit
import FlowEngine
import FlowSystem

/// The terminal in the hands of interactive steps: what flowrun has drawn goes, what it would write waits until it is back.
enum TerminalLending {
  /// Whether steps of a run can have the terminal.
  static func isPossible(_ request: RunRequest) -> Bool {
    !request.isJSON && !Environment.isContinuousIntegration && ForegroundTerminal.isOwn
  }

  /// Lets steps have the terminal from now on.
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

  /// Puts the cursor at the beginning of a line, of the next one if something is on this one: spaces fill the line but for its last
  /// column, or run over its end.
  private static var lineStart: String {
    String(repeating: " ", count: max(0, TerminalSize.current.columns - 1)) + "\r"
  }

  /// The usual screen, a visible cursor, no reports of mouse and paste, no color: programs that are killed do not restore them.
  private static let usualModes =
    "\u{1B}[?47l\u{1B}[?25h\u{1B}[?2004l\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[0m"
}
