import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// Reports a gate whose maximum is shorter than the longest path to it, according to deadlines and estimates (L15).
  mutating func checkFeasibility() {
    guard case .literal(let maximum)? = workflow.gate?.max, let node = locations.value(.deadline) else { return }
    let path = longestPathToGate()
    let total = path.reduce(Duration.zero) { $0 + (longestTime(of: $1) ?? .zero) }
    guard total > maximum else { return }
    let location = tree.kind(node) == .mapping ? tree.member("max", of: node)?.value ?? node : node
    let timed = path.filter { (longestTime(of: $0) ?? .zero) > .zero }
    let related = timed.prefix(12).map { step in
      let time = longestTime(of: step)!
      let share = Int((Double(time.nanoseconds) / Double(total.nanoseconds) * 100).rounded())
      return Diagnostic.RelatedLocation(
        idSpan(step), "'\(name(step))' may take \(DurationText.format(time)), \(share) %")
    }
    let unknown = path.filter { longestTime(of: $0) == nil && !isDisabled($0) }.map { "'\(name($0))'" }
    let rest = unknown.isEmpty ? "" : "; no deadline and no estimate: \(unknown.joined(separator: ", "))"
    report(
      .gateInfeasible,
      "the gate opens after at most \(DurationText.format(maximum)), "
        + "but the longest path to it may take \(DurationText.format(total))",
      at: tree.span(location), related: related,
      help: "shorten the path, give its steps a 'deadline', or write 'blocking: false' where it can wait" + rest)
  }

  /// Returns the longest time that a step may take: the maximum of its deadline or, without one, the upper end of its
  /// estimate, but at least its minimum. Returns nil if it has none of these or is disabled.
  func longestTime(of step: Int) -> Duration? {
    guard workflow.steps[step].hasOptions, !isDisabled(step) else { return nil }
    let options = workflow.steps[step].options
    guard let time = options.deadline?.max ?? options.estimate?.high else { return options.deadline?.min }
    return max(time, options.deadline?.min ?? .zero)
  }

  /// Returns the steps of the longest path to the gate, from the first one to a blocking step.
  func longestPathToGate() -> [Int] {
    let beforeGate = stepsBeforeGate()
    var ends = [Duration](repeating: .zero, count: workflow.steps.count)
    var previous = [Int32](repeating: -1, count: workflow.steps.count)
    var last: Int?
    for step in order.map(Int.init) where beforeGate[step] {
      var start = Duration.zero
      for need in workflow.steps[step].needs where ends[Int(need)] > start {
        start = ends[Int(need)]
        previous[step] = need
      }
      if previous[step] < 0, let need = workflow.steps[step].needs.first { previous[step] = need }
      ends[step] = start + (longestTime(of: step) ?? .zero)
      if last.map({ ends[step] > ends[$0] }) ?? true { last = step }
    }
    var path: [Int] = []
    var current = last
    while let step = current {
      path.append(step)
      current = previous[step] < 0 ? nil : Int(previous[step])
    }
    return path.reversed()
  }
}
