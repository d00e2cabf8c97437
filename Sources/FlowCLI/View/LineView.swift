import FlowEngine
import FlowModel
import FlowPluginKit

/// A run as plain lines, for pipes and logs: one a change that a person wants to know of.
///
/// Of a workflow of more than ``detailedSteps`` steps only what needs telling is shown: log lines, failures, retries, the
/// gate. Nobody reads two hundred thousand lines that say that all is well.
struct LineView: RunObserver {
  /// How many steps a workflow may have for each of its steps to have lines of its own.
  static let detailedSteps = 1_000

  let style: TextStyle
  let isBrief: Bool

  var detail: RunDetail { isBrief ? .brief : .full }

  init(style: TextStyle, isBrief: Bool = false) {
    self.style = style
    self.isBrief = isBrief
  }

  func receive(_ events: [RunEvent]) {
    var text = ""
    for event in events {
      guard let line = line(event) else { continue }
      text += style.dim(Milliseconds.fixed(Double(event.atNanoseconds) / 1_000_000, 1).leftPadded(to: 9)) + "  "
      text += line + "\n"
    }
    StandardOutput.write(text)
  }

  /// The line for an event, or nil for one that is not shown.
  func line(_ event: RunEvent) -> String? {
    switch event.kind {
    case .runStarted(let workflow, let id, _): return style.bold(workflow) + " started, run \(id)"
    case .runActivated(let reason): return "activated, launch reason \(reason.rawValue)"
    case .stepReady, .stepProgress, .runFinished: return nil
    case .stepStarted(let step, let attempt, let queue):
      return "\(step) started on \(queue)" + (attempt > 1 ? ", try \(attempt)" : "")
    case .stepLog(let step, let level, _, let message):
      let line = "\(step): \(message)"
      switch level {
      case .debug: return style.dim(line)
      case .info: return line
      case .warning: return style.yellow(line)
      case .error: return style.red(line)
      }
    case .pluginLog(let plugin, _, let message): return "plugin \(plugin): \(message)"
    case .stepRetrying(let step, let attempt, let delay, let failure):
      return "\(step) failed in try \(attempt)\(failure.map { ": \($0.message)" } ?? ""); again in "
        + Milliseconds.text(delay)
    case .stepFinished(let step, let finished): return line(step, finished)
    case .gateLate(let step): return style.yellow("\(step) is late")
    case .gateOpened(let outcome):
      let line = "gate opened, \(outcome.word)"
      return outcome == .ready ? style.green(line) : style.yellow(line)
    case .eventPosted(let name): return "event \(name)"
    case .warning(let message): return style.yellow("warning: \(message)")
    }
  }

  private func line(_ step: StepID, _ finished: RunEvent.FinishedStep) -> String {
    let time = finished.durationMilliseconds.map { " in \(Milliseconds.text($0))" } ?? ""
    switch finished.outcome {
    case .success: return style.green("\(step) done") + time
    case .skipped: return style.dim("\(step) skipped: \(finished.reason?.word ?? "condition")")
    case .cancelled: return style.yellow("\(step) cancelled") + time
    case .failure, .timedOut:
      let word = finished.outcome == .failure ? "failed" : "timed out"
      let cause = finished.failure.map { ": \($0.message) [\($0.code)]" } ?? ""
      let note = finished.conclusion == .success ? " (optional)" : ""
      return style.red("\(step) \(word)\(note)") + time + cause
    }
  }
}

/// A run as one JSON object a line.
struct JSONView: RunObserver {
  func receive(_ events: [RunEvent]) {
    var bytes: [UInt8] = []
    for event in events {
      JSONText.append(.object(event.value), to: &bytes)
      bytes.append(UInt8(ascii: "\n"))
    }
    StandardOutput.write(bytes)
  }
}

/// Passes events on to several observers.
struct ManyObservers: RunObserver {
  let observers: [any RunObserver]

  var detail: RunDetail { observers.allSatisfy { $0.detail == .brief } ? .brief : .full }

  func receive(_ events: [RunEvent]) {
    for observer in observers { observer.receive(events) }
  }
}
