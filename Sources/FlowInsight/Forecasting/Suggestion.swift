import FlowEngine
import FlowModel

/// A suggested change and its effect, measured by repeating the simulated runs with the same random draws.
package struct Suggestion: Sendable {
  package enum Change: String, Sendable {
    /// The step takes 10 % less time.
    case faster
    /// The step starts after the gate has opened.
    case `defer`
    /// The step is removed.
    case drop
  }

  package var change: Change
  package var step: StepIndex
  /// The 95th percentile of the time until everything is ready without the change, in nanoseconds, or nil for never.
  package var before: Int?
  /// The 95th percentile of the time until everything is ready with the change, in nanoseconds, or nil for never.
  package var after: Int?

  /// The reduction of the 95th percentile, in nanoseconds. A percentile of nil counts as the longest time.
  var gain: Int { (before ?? .max / 2) - (after ?? .max / 2) }

  /// Returns the minimum gain for a change to be suggested: 1 % of the time before, but at least 0.1 ms.
  static func leastGain(before: Int?) -> Int { max(100_000, (before ?? 0) / 100) }
}

extension Forecast {
  /// Simulates the first runs again and summarizes their critical paths.
  package mutating func lookClosely() {
    closeLook = CloseLook(model.courses(0..<min(runs, closeRuns)))
  }

  /// The number of runs to examine. It decreases with the number of steps, to limit the time spent.
  private var closeRuns: Int {
    max(50, min(ForecastOptions.closeLook, 4_000_000 / max(1, model.graph.workflow.steps.count)))
  }

  /// Tests changes to the steps that take most of the critical path, and keeps the effective ones. `change` returns the
  /// changed workflow, or nil if it would be invalid.
  package mutating func findSuggestions(
    _ change: (Suggestion.Change, StepIndex) -> RunStage?
  ) {
    let steps = model.graph.workflow.steps.count
    let count = min(runs, closeRuns)
    let most = max(3, min(12, 2_000_000 / max(1, steps * count)))
    let candidates = closeLook.timeShare.indices.filter { closeLook.timeShare[$0] > 0 }
      .sorted { (closeLook.timeShare[$0], $1) > (closeLook.timeShare[$1], $0) }.prefix(most).map { StepIndex($0) }
    let before = Self.ready(model, count).value(0.95)
    var found: [Suggestion] = []
    for step in candidates {
      var options = model.options
      options.slow[step, default: 1] *= 0.9
      let faster = ForecastModel(model.stage, options)
      found.append(
        Suggestion(change: .faster, step: step, before: before, after: Self.ready(faster, count).value(0.95)))
      for kind in [Suggestion.Change.defer, .drop] {
        guard isHarmless(kind, step), let stage = change(kind, step) else { continue }
        let changed = ForecastModel(stage, model.options)
        found.append(
          Suggestion(change: kind, step: step, before: before, after: Self.ready(changed, count).value(0.95)))
      }
    }
    suggestions = Array(
      found.filter { $0.gain >= Suggestion.leastGain(before: before) }
        .sorted { ($0.gain, -Int($0.step)) > ($1.gain, -Int($1.step)) }.prefix(10))
  }

  private static func ready(_ model: ForecastModel, _ count: Int) -> Quantiles {
    Quantiles(ForecastBlock(model, 0..<count).readyAt)
  }

  /// True if the change is known to be harmless: the gate does not wait for anything downstream of the step, and
  /// neither the step nor anything downstream provides a handle. The step must not be `blocking: true`, in `finally`,
  /// deferred, or an entry or exit of an included file. Only an optional step may be removed, and a step may be
  /// deferred only if there is a gate.
  private func isHarmless(_ change: Suggestion.Change, _ step: StepIndex) -> Bool {
    let workflow = model.graph.workflow
    let options = workflow.steps[Int(step)].options
    guard options.blocking != true, !options.isFinal, options.includeRole == .none, !model.started[step].isDeferred
    else { return false }
    if change == .drop, !options.isOptional { return false }
    // Steps can be deferred only if there is a gate.
    if change == .defer, !GateRule.hasGate(workflow) { return false }
    // Deferring a step also defers its dependents.
    var behind: Set<StepIndex> = [step]
    var next = [step]
    while let one = next.popLast() {
      if model.stage.provides(one) { return false }
      var followers = Array(model.graph.successors(of: one))
      for event in model.stage.postedEvents(of: one) { followers += waiters(for: event) }
      for follower in followers where !model.started[follower].isDeferred && behind.insert(follower).inserted {
        if model.started[follower].isBlocking || workflow.steps[Int(follower)].options.blocking == true { return false }
        next.append(follower)
      }
    }
    return true
  }

  private func waiters(for event: String) -> [StepIndex] {
    let steps = model.graph.workflow.steps
    return steps.indices.filter { steps[$0].hasOptions && steps[$0].options.events.contains(event) }.map {
      StepIndex($0)
    }
  }
}
