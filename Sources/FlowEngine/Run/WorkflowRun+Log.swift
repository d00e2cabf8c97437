import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSecrets

/// The log of a run, to which steps and their programs write.
extension WorkflowRun {
  /// The number of bytes of output lines that may wait for the observer. A program that writes more is blocked until
  /// they are delivered, as by a slow terminal.
  private static let waitingLineBytes = 4 << 20
  private static let unfinishedBytes = 4 << 10

  /// Writes a log line. Lines over 64 KiB are cut.
  public func log(_ message: String, level: LogLevel, step: StepIndex) {
    guard options.observer != nil else { return }
    emit(.stepLog(stepID(of: step), level: level, stream: nil, message: cut(message)))
  }

  /// Logs output lines of a program, unless the step is quiet.
  public func log(_ lines: [String], from stream: LogStream, step: StepIndex) {
    guard showsOutput(of: step) else { return }
    let id = stepID(of: step)
    let cut = lines.map(cut)
    let bytes = cut.reduce(0) { $0 + $1.utf8.count + MemoryLayout<RunEvent>.stride }
    emit(cut.map { .stepLog(id, level: .info, stream: stream, message: $0) }, lineBytes: bytes)
  }

  /// Reports an unfinished output line of a program. It replaces earlier states that have not been delivered.
  public func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {
    guard showsUnfinishedLines, showsOutput(of: step) else { return }
    // Much longer than the width of a terminal.
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
  public var showsUnfinishedLines: Bool { options.observer != nil && options.showsUnfinishedLines }

  /// Logs lines of a plugin's program that ran for several steps.
  public func log(_ lines: [String], from stream: LogStream, plugin: String) {
    guard options.observer != nil, options.showsOutput else { return }
    emit(lines.map { .pluginLog(plugin: plugin, stream: stream, message: cut($0)) })
  }

  /// True if the observer receives the output lines of the step.
  public func showsOutput(of step: StepIndex) -> Bool {
    options.observer != nil && options.showsOutput
      && !prepared.graph.workflow.steps[Int(instances.owner(of: step))].options.isQuiet
  }

  /// True if the observer is not too far behind with output lines.
  public var hasLogRoom: Bool {
    state.withLock { $0.undeliveredLineBytes < Self.waitingLineBytes } && options.outer?.run.hasLogRoom ?? true
  }

  /// Returns a line as it is logged. Secrets are hidden before the line is cut, because a part of one would not be
  /// found.
  private func cut(_ line: String) -> String {
    if line.utf8.count <= Limits.logLineBytes { return line }
    let line = mask?.masked(printed: line, isCut: true) ?? TerminalText.commandLine(line, keepsColors: true)
    if line.utf8.count <= Limits.logLineBytes { return line }
    return TerminalText.prefix(of: line, bytes: Limits.logLineBytes) + "… (cut at 64 KiB)"
  }
}
