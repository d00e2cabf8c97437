import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSecrets

/// The log of a run consists of messages of steps and of output lines of their programs.
extension WorkflowRun {
  /// The maximum size of undelivered output lines, in bytes. A program that prints more is blocked until lines are
  /// delivered, as with a slow terminal.
  private static let waitingLineBytes = 4 << 20
  private static let unfinishedBytes = 4 << 10

  /// Logs a message of a step. Messages are cut after 64 KiB.
  package func log(_ message: String, level: LogLevel, step: StepIndex) {
    guard options.isObserved else { return }
    emit(.stepLog(stepID(of: step), level: level, stream: nil, message: cut(message)))
  }

  /// Logs output lines of a step's program. For a quiet step, only the run history receives them, not the observer.
  package func log(_ lines: [String], from stream: LogStream, step: StepIndex) {
    guard showsOutput(of: step) else { return }
    guard lines.contains(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) else {
      return log(PrintedLines(lines), from: stream, step: step)
    }
    let id = stepID(of: step)
    let cut = lines.map(cut)
    let bytes = cut.reduce(0) { $0 + $1.utf8.count + MemoryLayout<RunEvent>.stride }
    emit(cut.map { .stepLog(id, level: .info, stream: stream, message: $0) }, lineBytes: bytes)
  }

  /// Logs several output lines of a step's program at once. Observers receive the same text as for separate calls.
  package func log(_ lines: PrintedLines, from stream: LogStream, step: StepIndex) {
    guard showsOutput(of: step), !lines.isEmpty else { return }
    let lines = lines.longest > Limits.logLineBytes ? PrintedLines(lines.strings.map(cut)) : lines
    let id = stepID(of: step)
    if let mask {
      let (masked, isPlain) = mask.masked(lines)
      return queue(
        StepLines(atNanoseconds: 0, step: id, stream: stream, lines: masked, isPlain: isPlain))
    }
    queue(StepLines(atNanoseconds: 0, step: id, stream: stream, lines))
  }

  /// Shows an unfinished output line of a program. It replaces the previous unfinished line if that has not been
  /// delivered.
  package func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {
    guard showsUnfinishedLines, showsOutput(of: step), !isQuiet(step) else { return }
    // The limit is much larger than a terminal is wide.
    let line = mask?.withholding(printed: line) ?? TerminalText.commandLine(line, keepsColors: true)
    let shown = TerminalText.prefix(of: line, bytes: Self.unfinishedBytes)
    let id = stepID(of: step)
    let isReplaced = state.withLock { state in
      guard case .event(let event)? = state.undelivered.last,
        case .stepUnfinishedLine(id, stream, _) = event.kind
      else { return false }
      let newest = RunEvent(
        atNanoseconds: event.atNanoseconds, .stepUnfinishedLine(id, stream: stream, line: shown))
      state.undelivered[state.undelivered.count - 1] = .event(newest)
      return true
    }
    if isReplaced { return }
    emit(
      .stepUnfinishedLine(id, stream: stream, line: shown),
      lineBytes: shown.utf8.count + MemoryLayout<RunEvent>.stride)
  }

  /// True if the observer receives unfinished lines.
  package var showsUnfinishedLines: Bool { options.isObserved && options.showsUnfinishedLines }

  /// Logs output lines of a plugin's program. They have no step, because the program may run actions for several steps.
  package func log(_ lines: [String], from stream: LogStream, plugin: String) {
    guard options.isObserved, options.showsOutput || journal != nil else { return }
    emit(lines.map { .pluginLog(plugin: plugin, stream: stream, message: cut($0)) })
  }

  /// True if the output lines of the step are shown or recorded.
  package func showsOutput(of step: StepIndex) -> Bool {
    options.isObserved && (journal != nil || !isQuiet(step))
  }

  /// True if the observer does not receive the output lines of the step.
  private func isQuiet(_ step: StepIndex) -> Bool {
    !options.showsOutput || prepared.graph.workflow.steps[Int(instances.owner(of: step))].options.isQuiet
  }

  /// True if there is room for more output lines, because the observer has received most of the earlier ones.
  package var hasLogRoom: Bool {
    state.withLock { $0.undeliveredLineBytes < Self.waitingLineBytes } && options.outer?.run.hasLogRoom ?? true
  }

  /// Returns the text that is logged for a line: at most 64 KiB, with a note if the line is cut. Secrets are hidden
  /// before the line is cut, because a part of a secret would not be recognized.
  private func cut(_ line: String) -> String {
    if line.utf8.count <= Limits.logLineBytes { return line }
    let line = mask?.masked(printed: line, isCut: true) ?? TerminalText.commandLine(line, keepsColors: true)
    if line.utf8.count <= Limits.logLineBytes { return line }
    return TerminalText.prefix(of: line, bytes: Limits.logLineBytes) + "… (cut at 64 KiB)"
  }
}
