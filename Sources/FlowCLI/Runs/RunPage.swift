import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowSystem

/// A recorded run as text: its state, its gate and its steps.
struct RunPage {
  let recorded: HistoryRun
  /// The step or item to show. Nil means all steps.
  let step: RecordedStep?
  let style: TextStyle

  /// The maximum number of steps for a complete list. If there are more, only those that did not succeed are listed.
  private static let listedSteps = 200

  var text: String {
    let (run, report) = (recorded.run, recorded.report)
    var lines = [
      style.bold("\(TerminalText.visible(run.workflow)): \(run.state.rawValue)") + ", run \(run.id)",
      "file: \(TerminalText.visible(run.file))",
      "started \(WallTime.local(run.startedMilliseconds)), by \(run.holder)"
        + (run.epoch > 1 ? ", resumed \(run.epoch - 1)×" : ""),
    ]
    if run.state != .running, run.state != .interrupted {
      lines[0] += " in \(Milliseconds.text(report.durationMilliseconds))"
    }
    for (name, value) in recorded.recollection.header.inputs {
      lines += LogText.paragraph("input \(name): \(value.stringValue ?? JSONText.write(value))")
    }
    var steps = report.steps.filter { step == nil || $0.id.text == step?.id }
    if let item = step?.item { steps = steps.compactMap { $0.item(item) } }
    let shown = steps.count > Self.listedSteps ? steps.filter { $0.outcome != .success } : steps
    let width = shown.map(\.id.text.count).max() ?? 0
    for step in shown { lines += line(step, width) }
    if shown.count < steps.count { lines.append(style.dim("… \(steps.count - shown.count) more that succeeded")) }
    for (name, value) in report.outputs {
      lines += LogText.paragraph("\(name): \(value.stringValue ?? JSONText.write(value))")
    }
    for warning in report.warnings { lines += LogText.paragraph("warning: \(warning)").map(style.yellow) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ step: RunReport.Step, _ width: Int) -> [String] {
    var line = "  " + step.id.text.padded(to: width) + "  "
    guard step.endedAt != nil else { return [line + style.dim("not ended")] }
    let word = step.outcome.word.padded(to: 9)
    let colored =
      switch step.outcome {
      case .success: style.green(word)
      case .failure, .timedOut: style.red(word)
      case .cancelled, .skipped: style.yellow(word)
      }
    line += colored
    if let reason = step.reason { line += "  " + reason.word }
    if let started = step.startedAt, let ended = step.endedAt {
      line += "  " + Milliseconds.text(ended - started).leftPadded(to: 8)
    }
    if step.attempts > 1 { line += "  \(step.attempts) attempts" }
    if let items = step.items {
      let counts = Outcome.allCases.compactMap { outcome -> String? in
        let count = items.count { $0.outcome == outcome }
        return count > 0 ? "\(count) \(outcome.participle)" : nil
      }
      line += "  items: " + (counts.isEmpty ? "none" : counts.joined(separator: ", "))
    }
    var lines = LogText.cause(step.failure)
    lines[0] = line + lines[0]
    return lines
  }
}

extension RunReport.Step {
  /// Returns an item of the step in the form of a step with a name such as `convert[3] raw/b.txt`. Returns nil if the
  /// step has no item with this index.
  func item(_ index: Int) -> RunReport.Step? {
    guard let item = items?.first(where: { $0.index == index }) else { return nil }
    var step = self
    step.id = StepID(unchecked: id.item(index).text + (item.name.map { " \($0)" } ?? ""))
    (step.outcome, step.conclusion, step.reason) = (item.outcome, item.conclusion, item.reason)
    (step.attempts, step.startedAt, step.endedAt) = (item.attempts, item.startedAt, item.endedAt)
    (step.failure, step.isAbandoned, step.attemptTimes, step.items) = (
      item.failure, item.isAbandoned, item.attemptTimes, nil
    )
    return step
  }
}
