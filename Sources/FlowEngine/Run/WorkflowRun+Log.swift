import FlowDiagnostics
import FlowModel
import FlowPluginKit
import FlowSecrets

/// What steps, and the programs they run, write to the run's log.
extension WorkflowRun {
  /// Bytes of programs' lines that may wait for the observer; who writes more of them waits for it then, as at a slow
  /// terminal.
  private static let waitingLineBytes = 4 << 20
  private static let unfinishedBytes = 4 << 10

  /// Writes a log line; one over 64 KiB is cut.
  public func log(_ message: String, level: LogLevel, step: StepIndex) {
    guard options.observer != nil else { return }
    emit(.stepLog(stepID(of: step), level: level, stream: nil, message: cut(message)))
  }

  /// Writes lines that a program wrote, unless the step is quiet.
  public func log(_ lines: [String], from stream: LogStream, step: StepIndex) {
    guard showsOutput(of: step) else { return }
    let id = stepID(of: step)
    let cut = lines.map(cut)
    let bytes = cut.reduce(0) { $0 + $1.utf8.count + MemoryLayout<RunEvent>.stride }
    emit(cut.map { .stepLog(id, level: .info, stream: stream, message: $0) }, lineBytes: bytes)
  }

  /// Reports an unfinished line of a program; the newest state replaces those not yet delivered.
  public func showUnfinished(_ line: String, from stream: LogStream, step: StepIndex) {
    guard showsUnfinishedLines, showsOutput(of: step) else { return }
    // Far more than a terminal is wide.
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

  /// Whether the observer hears of lines that have no end yet.
  public var showsUnfinishedLines: Bool { options.observer != nil && options.showsUnfinishedLines }

  /// Writes lines that the program of a plugin wrote while it worked for several steps.
  public func log(_ lines: [String], from stream: LogStream, plugin: String) {
    guard options.observer != nil, options.showsOutput else { return }
    emit(lines.map { .pluginLog(plugin: plugin, stream: stream, message: cut($0)) })
  }

  /// Whether the observer hears of the lines that the step's programs write.
  public func showsOutput(of step: StepIndex) -> Bool {
    options.observer != nil && options.showsOutput
      && !prepared.graph.workflow.steps[Int(instances.owner(of: step))].options.isQuiet
  }

  /// Whether the observer is not too far behind with the lines of programs.
  public var hasLogRoom: Bool {
    state.withLock { $0.undeliveredLineBytes < Self.waitingLineBytes } && options.outer?.run.hasLogRoom ?? true
  }

  /// Returns a line as the log has it. Secrets are hidden before it is cut, because a part of one would not be found.
  private func cut(_ line: String) -> String {
    if line.utf8.count <= Limits.logLineBytes { return line }
    let line = mask?.masked(printed: line, isCut: true) ?? TerminalText.commandLine(line, keepsColors: true)
    if line.utf8.count <= Limits.logLineBytes { return line }
    return TerminalText.prefix(of: line, bytes: Limits.logLineBytes) + "… (cut at 64 KiB)"
  }
}
