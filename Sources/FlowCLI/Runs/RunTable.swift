import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowStore
import FlowSystem

/// The data in a run's summary that a list of runs shows. Times are in milliseconds.
package struct RunFigures {
  /// The duration of the run, or nil if it has not ended.
  package var duration: Double?
  /// The time at which the gate opened, or nil if it did not open or the run has none.
  package var gate: Double?
  /// The outcome of the gate, in the words of the report.
  package var gateOutcome: String?
  /// The reason and the first entry of the run's launch.
  var launch = LaunchGroup(reason: nil, entry: nil, isPrewarmed: false)

  /// True if the app was prewarmed, or launched by something other than a user.
  var isUnusualLaunch: Bool { !["user", "none"].contains(launch.reason) || launch.entry == "prewarmed" }

  /// Reads the figures from the summary of a run.
  package init(_ run: StoredRun) {
    guard case .object(let summary)? = try? JSONText.parse(run.summary) else { return }
    duration = summary["durationMilliseconds"]?.numberValue
    launch = LaunchGroup(
      reason: summary["launchReason"]?.stringValue,
      entry: summary["entries"]?.arrayValue?.first?.objectValue?["kind"]?.stringValue,
      isPrewarmed: summary["prewarmMilliseconds"]?.numberValue ?? 0 > 0)
    guard let gate = summary["gate"]?.objectValue else { return }
    self.gate = gate["openedAt"]?.numberValue
    gateOutcome = gate["outcome"]?.stringValue
  }
}

/// A list of runs as text, with one run per line. A line has the duration of the run and the usual duration of runs of
/// the same file that were launched in the same way.
struct RunTable {
  /// Identifies the runs of a file that were launched in the same way.
  private struct Usual: Hashable {
    var file: String
    var launch: LaunchGroup
  }

  let runs: [StoredRun]
  let style: TextStyle

  var text: String {
    let figures = runs.map(RunFigures.init)
    let medians = medians(figures)
    var text = ""
    let width = runs.map { TerminalText.columns(of: TerminalText.visible($0.workflow)) }.max() ?? 0
    for (run, figure) in zip(runs, figures) {
      var line = style.bold(RunReference.short(run.id)) + "  " + WallTime.local(run.startedMilliseconds) + "  "
      line += TerminalText.visible(run.workflow).padded(to: width) + "  " + state(run.state)
      if let duration = figure.duration {
        line += "  " + Milliseconds.text(duration).leftPadded(to: 8)
        if let median = medians[Usual(file: run.file, launch: figure.launch)], median > 0 {
          let percent = Int(((duration / median - 1) * 100).rounded())
          line += "  " + style.dim(percent >= 0 ? "+\(percent) %" : "\(percent) %").leftPadded(to: 6)
        }
      }
      if let gate = figure.gate, let outcome = figure.gateOutcome {
        line += "  " + style.dim("gate \(outcome) at \(Milliseconds.text(gate))")
      }
      if figure.isUnusualLaunch { line += "  " + style.dim("launched by \(figure.launch.name)") }
      if run.state == .running { line += "  " + style.dim("by \(run.holder)") }
      text += line + "\n"
    }
    return text
  }

  private func state(_ state: StoredRun.State) -> String {
    let word = state.rawValue.padded(to: 11)
    return switch state {
    case .success: style.green(word)
    case .failure, .interrupted: style.red(word)
    case .partial, .cancelled: style.yellow(word)
    case .running: style.cyan(word)
    }
  }

  /// Returns the median duration for each group of runs that has at least three successful ones.
  private func medians(_ figures: [RunFigures]) -> [Usual: Double] {
    var durations: [Usual: [Double]] = [:]
    for (run, figure) in zip(runs, figures) where run.state == .success || run.state == .partial {
      if let duration = figure.duration {
        durations[Usual(file: run.file, launch: figure.launch), default: []].append(duration)
      }
    }
    return durations.compactMapValues { $0.count < 3 ? nil : $0.sorted()[$0.count / 2] }
  }

  var values: [Value] {
    runs.map { run in
      var object: ValueObject = [
        "id": .string(run.id), "workflow": .string(run.workflow), "file": .string(run.file),
        "state": .string(run.state.rawValue), "startedAt": .string(WallTime.text(run.startedMilliseconds)),
        "epoch": .integer(run.epoch), "host": .string(run.holder.host), "pid": .integer(run.holder.process),
      ]
      object["summary"] = (try? JSONText.parse(run.summary)) ?? .null
      return .object(object)
    }
  }
}
