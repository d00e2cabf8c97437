import FlowModel

/// The description of a report is a readable summary with one fact per line: the result, the gate, failures, outputs
/// and warnings.
extension RunReport: CustomStringConvertible {
  /// A summary in several lines, without a line break at the end.
  public var description: String {
    var lines = [headline]
    if let opened = gate.openedAt {
      lines.append("gate: opened at \(Self.text(opened)), \(gate.outcome.word)")
    } else {
      lines.append("gate: never opened")
    }
    if !gate.late.isEmpty { lines.append("late: " + gate.late.map(\.text).joined(separator: ", ")) }
    if !criticalPath.isEmpty {
      let shown = criticalPath.prefix(12).map { "\($0.step) \(Self.text($0.end - $0.start))" }
      let rest = criticalPath.count > 12 ? ["… \(criticalPath.count - 12) more"] : []
      lines.append("critical path: " + (shown + rest).joined(separator: " → "))
    }
    for step in troubledSteps where step.outcome == .failure || step.outcome == .timedOut {
      let word = step.outcome == .failure ? "failed" : "timed out"
      let cause = step.failure.map { ": \($0.message) (\($0.code))" } ?? ""
      lines.append("\(step.id) \(word)\(step.conclusion == .success ? " (optional)" : "")\(cause)")
    }
    for (name, value) in outputs { lines.append("\(name): \(value.stringValue ?? JSONText.write(value))") }
    lines += warnings.map { "warning: \($0)" }
    return lines.joined(separator: "\n")
  }

  private var headline: String {
    let counts = outcomeCounts.map { "\($0.count) \($0.outcome == .success ? "succeeded" : $0.outcome.word)" }
    let detail = counts.isEmpty ? "" : " (\(counts.joined(separator: ", ")))"
    return "\(workflow): \(conclusion.rawValue) in \(Self.text(durationMilliseconds))\(detail)"
  }

  private static func text(_ milliseconds: Double) -> String {
    let tenths = Int((milliseconds * 10).rounded())
    return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10) ms"
  }
}
