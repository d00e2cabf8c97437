import FlowDiagnostics
import FlowExpressions
import FlowModel

extension WorkflowCheck {
  /// If a step shows a launch screen, warns about a gate whose `min` or `max` is outside the recommended range: 2 to
  /// 2.5 s and 4 to 5 s (C9).
  mutating func checkGateGuidance() {
    guard let node = locations.value(.deadline), let gate = workflow.gate else { return }
    let splash = workflow.steps.indices.first {
      actions.declaration(ofStep: $0)?.provides.contains(.launchScreen) == true
    }
    guard let splash else { return }
    let bounds: [(key: DeadlineKey, source: DurationSource?, range: ClosedRange<Duration>)] = [
      (.min, gate.min, .milliseconds(2_000) ... .milliseconds(2_500)),
      (.max, gate.max, .milliseconds(4_000) ... .milliseconds(5_000)),
    ]
    for bound in bounds {
      // If an expression has several possible values, one may be meant for background launches. So it is reported only
      // if all of them are outside the range.
      let durations = possibleDurations(of: bound.source)
      guard let duration = durations.last, !durations.contains(where: bound.range.contains) else { continue }
      let location = tree.member(bound.key.rawValue, of: node)?.value ?? node
      report(
        .gateOutsideGuidance,
        "\(bound.key.rawValue) of the launch gate is \(DurationText.format(duration)), outside "
          + "\(DurationText.format(bound.range.lowerBound)) to \(DurationText.format(bound.range.upperBound))",
        at: tree.span(location), related: [.init(idSpan(splash), "'\(name(splash))' shows the launch screen")],
        help: bound.key == .min
          ? "a shorter launch screen flashes, a longer one keeps people waiting"
          : "people give up on a longer launch screen; a shorter one gives a slow device no time")
    }
  }

  /// Returns the literal durations that a bound of the gate can have.
  private func possibleDurations(of source: DurationSource?) -> [Duration] {
    switch source {
    case nil: return []
    case .literal(let duration)?: return [duration]
    case .expression(let text)?:
      guard let template = try? workflow.texts.template(text), template.isSingleExpression else { return [] }
      return template.expressions[0].expression.possibleResults { _ in nil }.compactMap { result in
        guard case .value(.string(let text)) = result else { return nil }
        return try? DurationText.parse(text)
      }
    }
  }
}
