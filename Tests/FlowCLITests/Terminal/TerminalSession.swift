#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport

  /// A program that has a terminal of its own, as one that a person has started.
  final class TerminalSession {
    let program: StartedProgram
    private let terminal: PseudoTerminal
    /// What the program has shown so far.
    private(set) var output = ""
    /// Where the last text that was waited for ends.
    private var seen: String.Index

    /// Starts `flowrun` with these words, or the program that `words` begin with if `isShell` is set.
    init?(
      _ words: [String], in folder: String, rows: Int = 24, columns: Int = 80, environment: [String: String] = [:],
      isShell: Bool = false
    ) throws {
      guard let terminal = PseudoTerminal(rows: rows, columns: columns) else { return nil }
      self.terminal = terminal
      seen = output.startIndex
      var variables = ProcessInfo.processInfo.environment
      for (name, value) in ["TERM": "xterm", "CI": "", "NO_COLOR": "1", "SWIFT_BACKTRACE": "enable=no", "PS1": "$ "] {
        variables[name] = value
      }
      variables.merge(environment) { $1 }
      // It becomes the leader of a session, and the terminal that of the session.
      program = try StartedProgram(
        ["setsid", "-c"] + (isShell ? [] : [FlowrunProcess.path]) + words, in: folder, environment: variables,
        input: .file(terminal.path), output: .file(terminal.path), errors: .file(terminal.path))
    }

    /// Waits until the program shows a text that comes after the last one; false if it does not.
    func shows(_ text: String, limitSeconds: Int = 30) -> Bool {
      within(seconds: limitSeconds) {
        collect()
        guard let found = output[seen...].firstRange(of: text) else { return false }
        seen = found.upperBound
        return true
      }
    }

    /// Types a text.
    func type(_ text: String) { terminal.write(text) }

    /// Whether the terminal shows what is typed, and gives whole lines.
    var isUsual: Bool { terminal.isUsual }

    /// Waits for the end of the program.
    func exitCode() -> Int32? {
      // The terminal must be read, or the program would wait.
      _ = within(seconds: 30) {
        collect()
        return program.hasEnded
      }
      let code = program.exitCode(withinSeconds: 1)
      collect()
      return code
    }

    private func collect() {
      let offset = output.utf8.distance(from: output.startIndex, to: seen)
      output += terminal.read().replacing("\r\n", with: "\n")
      seen = output.utf8.index(output.startIndex, offsetBy: offset)
    }
  }
#endif
