/// A comparison of runs before and after a change.
package struct RunComparison: Sendable {
  /// The values of one measure before and after the change, in milliseconds.
  package struct Row: Sendable {
    /// The verdict on the difference between the two values.
    package enum Verdict: String, Sendable {
      case faster, slower
      /// The difference is not significant: its confidence interval contains zero.
      case noise
      /// There are too few runs to decide.
      case tooFew = "too-few"
      /// The value exists only before, or only after the change.
      case onlyBefore = "only-before"
      case onlyAfter = "only-after"
    }

    /// The id of the step, or the name of the gate's time, such as `ready`.
    package var name: String
    package var isStep: Bool
    /// The median before the change, or nil if the value does not exist there.
    package var before: Double?
    package var after: Double?
    /// The 95 % confidence interval of the difference, or nil if there are too few runs.
    package var interval: ClosedRange<Double>?

    /// The difference of the medians, after minus before. Nil if one of them does not exist.
    package var difference: Double? { before.flatMap { before in after.map { $0 - before } } }

    /// The verdict that follows from the difference and its interval.
    package var verdict: Verdict {
      guard let difference else { return before == nil ? .onlyAfter : .onlyBefore }
      guard let interval else { return .tooFew }
      if interval.contains(0) || difference == 0 { return .noise }
      return difference < 0 ? .faster : .slower
    }
  }

  package let before: RunSample
  package let after: RunSample
  /// The rows for the time until everything was ready and the time until the gate opened.
  package let gate: [Row]
  /// The rows for steps, sorted by the size of their change.
  package let steps: [Row]
  /// The steps whose share of runs on the critical path has changed, with both shares.
  package let criticalPath: [(name: String, before: Double, after: Double)]

  package init(_ before: RunSample, _ after: RunSample) {
    self.before = before
    self.after = after
    func times(_ sample: RunSample, _ time: (RunCourse) -> Int?) -> [Double] {
      sample.runs.compactMap { time($0.course).map { Double($0) / 1_000_000 } }
    }
    gate = [
      Self.row("ready", false, times(before) { $0.readyAt }, times(after) { $0.readyAt }),
      Self.row("opened", false, times(before) { $0.openedAt }, times(after) { $0.openedAt }),
    ]
    var seen: Set<String> = []
    let names = (before.stepNames + after.stepNames).filter { seen.insert($0).inserted }
    steps = names.compactMap { name in
      let (old, new) = (before.times(ofStepNamed: name) ?? [], after.times(ofStepNamed: name) ?? [])
      return old.isEmpty && new.isEmpty ? nil : Self.row(name, true, old, new)
    }.sorted { (abs($0.difference ?? .infinity), $1.name) > (abs($1.difference ?? .infinity), $0.name) }
    let (old, new) = (Self.criticality(before), Self.criticality(after))
    criticalPath = names.compactMap { name in
      let (was, now) = (old[name] ?? 0, new[name] ?? 0)
      return abs(was - now) < 0.005 ? nil : (name, was, now)
    }.sorted { (abs($0.2 - $0.1), $1.0) > (abs($1.2 - $1.1), $0.0) }
  }

  private static func row(_ name: String, _ isStep: Bool, _ before: [Double], _ after: [Double]) -> Row {
    Row(
      name: name, isStep: isStep, before: Bootstrap.median(before), after: Bootstrap.median(after),
      interval: Bootstrap.interval(before: before, after: after))
  }

  private static func criticality(_ sample: RunSample) -> [String: Double] {
    var counts: [String: Double] = [:]
    for run in sample.runs {
      for step in Set(run.criticalPath.compactMap(\.step)) {
        counts[run.course.shape.steps[step].id, default: 0] += 1 / Double(sample.runs.count)
      }
    }
    return counts
  }
}
