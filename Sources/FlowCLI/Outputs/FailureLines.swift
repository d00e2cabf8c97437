import FlowDiagnostics
import FlowEngine
import FlowModel
import Synchronization

/// Collects the last lines that each step prints during a run, for the report of failed steps.
final class FailureLines: LineObserver {
  /// The maximum number of lines and of bytes that are kept for each step.
  private static let limits = (lines: 20, bytes: 4096)
  /// The number of steps whose lines are kept. When there are twice as many, the lines of the oldest half are dropped.
  private static let steps = 1_000

  private struct Kept {
    var lines: [StepID: [String]] = [:]
    var order: [StepID] = []
  }

  private let kept = Mutex(Kept())

  var detail: RunDetail { .brief }

  func receive(_ events: [RunEvent]) {
    for case .stepLog(let step, _, _, let message) in events.lazy.map(\.kind) { add(message, of: step) }
  }

  func receive(_ parts: [RunPart]) {
    for part in parts {
      switch part {
      case .events(let events): receive(events)
      case .lines(let lines): add(lines.lines.suffix(Self.limits.lines), of: lines.step)
      }
    }
  }

  func add(_ message: String, of step: StepID) {
    kept.withLock { kept in
      if kept.lines[step] == nil {
        kept.order.append(step)
        if kept.order.count > 2 * Self.steps {
          for old in kept.order.prefix(Self.steps) { kept.lines[old] = nil }
          kept.order.removeFirst(Self.steps)
        }
      }
      let lines = message.split(separator: "\n", omittingEmptySubsequences: false).suffix(Self.limits.lines)
      let clean = lines.map { TerminalText.commandLine(String($0.prefix(Self.limits.bytes)), keepsColors: false) }
      var all = (kept.lines[step] ?? []) + clean
      var bytes = all.reduce(0) { $0 + $1.utf8.count }
      while all.count > Self.limits.lines || all.count > 1 && bytes > Self.limits.bytes {
        bytes -= all.removeFirst().utf8.count
      }
      kept.lines[step] = all
    }
  }

  /// Returns the lines of those failed steps whose error message does not already contain their output.
  func lines(of report: RunReport) -> [StepID: [String]] {
    let kept = kept.withLock { $0.lines }
    var found: [StepID: [String]] = [:]
    for step in report.troubledSteps where step.isFailed && !(step.failure?.message.contains(Character("\n")) ?? false)
    {
      found[step.id] = kept[step.id]
    }
    return found
  }

  /// Returns the lines of failed steps in a recorded run, read from the recorded output.
  static func lines(of report: RunReport, in chunks: [[UInt8]]) -> [StepID: [String]] {
    let lines = FailureLines()
    let failed = Set(report.troubledSteps.filter(\.isFailed).map(\.id.text))
    guard !failed.isEmpty else { return [:] }
    for line in RunRecollection.lines(in: chunks) {
      guard let step = line["step"]?.stringValue, failed.contains(step), let message = line["message"]?.stringValue
      else { continue }
      lines.add(message, of: StepID(unchecked: step))
    }
    return lines.lines(of: report)
  }
}
