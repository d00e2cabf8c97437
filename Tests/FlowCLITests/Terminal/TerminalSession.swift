#if os(Linux)
  import Foundation
  import Glibc
  import TestSupport

  /// A program with its own terminal, as if a person had started it.
  final class TerminalSession {
    let program: StartedProgram
    private let terminal: PseudoTerminal
    /// The output of the program so far.
    private(set) var output = ""
    /// The end of the last text that was expected and shown.
    private var seen: String.Index

    /// Starts `flowrun` with these arguments, or if `isShell` is true, the program that the first word names. Returns
    /// nil if this system has no pseudoterminal.
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
      // The program becomes the leader of a session that controls the terminal.
      program = try StartedProgram(
        ["setsid", "-c"] + (isShell ? [] : [FlowrunProcess.path]) + words, in: folder, environment: variables,
        input: .file(terminal.path), output: .file(terminal.path), errors: .file(terminal.path))
    }

    /// Waits until the program shows this text after the last expected one. Returns false if it does not.
    func shows(_ text: String, limitSeconds: Int = 30) -> Bool {
      within(seconds: limitSeconds) {
        collect()
        guard let found = output[seen...].firstRange(of: text) else { return false }
        seen = found.upperBound
        return true
      }
    }

    /// Sends text to the program as if it were typed.
    func type(_ text: String) { terminal.write(text) }

    /// True if the terminal echoes input, passes on whole lines, and sends signals for keys such as Ctrl-C.
    var isUsual: Bool { terminal.isUsual }

    /// Waits up to 30 s until the program has ended. Returns its exit code, or nil if it has not ended.
    func exitCode() -> Int32? {
      // A program would block if its terminal were not read.
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
