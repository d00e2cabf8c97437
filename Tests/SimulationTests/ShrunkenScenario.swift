import FlowModel
import FlowTestKit

/// A scenario that still fails and is as small as possible. Simplifications of a failing scenario are tried one after
/// another, and kept if the result still fails.
struct ShrunkenScenario {
  let scenario: Scenario

  init(_ original: Scenario, failsStill: (Scenario) -> Bool) {
    var current = original
    var hasShrunken = true
    while hasShrunken {
      hasShrunken = false
      for candidate in Self.simpler(than: current) where failsStill(candidate) {
        current = candidate
        hasShrunken = true
        break
      }
    }
    scenario = current
  }

  /// Returns all scenarios that differ by one simplification, the largest simplification first.
  private static func simpler(than scenario: Scenario) -> [Scenario] {
    var candidates: [Scenario] = []
    func add(_ change: (inout Scenario) -> Bool) {
      var copy = scenario
      if change(&copy) { candidates.append(copy) }
    }
    for index in scenario.workflow.steps.indices.reversed() where scenario.workflow.steps.count > 1 {
      candidates.append(scenario.without(step: index))
    }
    for change in surroundings { add(change) }
    for index in scenario.outsideEvents.indices {
      add { scenario in
        scenario.outsideEvents.remove(at: index)
        return true
      }
    }
    for index in scenario.workflow.steps.indices {
      for change in options {
        add { scenario in
          var options = scenario.workflow.steps[index].options
          guard change(&options) else { return false }
          scenario.workflow.steps[index].options = options
          return true
        }
      }
      for need in scenario.workflow.steps[index].needs {
        add { scenario in
          scenario.workflow.steps[index].needs = scenario.workflow.steps[index].needs.filter { $0 != need }[...]
          return true
        }
      }
      for change in scripts { add { change(&$0.scripts[index]) } }
      for item in scenario.scripts[index].items.indices {
        add { scenario in
          scenario.scripts[index].items.remove(at: item)
          return true
        }
        add { set(&$0.scripts[index].items[item].isLeftOut, false) }
        for change in scripts { add { change(&$0.scripts[index].items[item]) } }
      }
    }
    return candidates
  }

  /// Sets `place` to `value`. Returns false if it already had this value.
  private static func set<T: Equatable>(_ place: inout T, _ value: T) -> Bool {
    defer { place = value }
    return place != value
  }

  /// Sets a member of an optional to `value`. Returns false if the optional is nil or the member already had this
  /// value.
  private static func set<Whole, Part: Equatable>(
    _ whole: inout Whole?, _ member: WritableKeyPath<Whole, Part>, _ value: Part
  ) -> Bool {
    guard var changed = whole, set(&changed[keyPath: member], value) else { return false }
    whole = changed
    return true
  }

  private static var surroundings: [(inout Scenario) -> Bool] {
    [
      { set(&$0.cancelledAt, nil) },
      { set(&$0.outsideSource, .closed) },
      { scenario in
        guard scenario.activatedAt != nil else { return false }
        scenario.activatedAt = nil
        for index in scenario.workflow.steps.indices where scenario.workflow.steps[index].options.prewarm {
          scenario.workflow.steps[index].options.prewarm = false
        }
        return true
      },
      { set(&$0.workflow.gate, nil) },
      { set(&$0.workflow.concurrency, nil) },
      { set(&$0.workflow.gate, \.min, nil) },
      { set(&$0.workflow.gate, \.max, nil) },
      { set(&$0.launch, Launch()) },
    ]
  }

  private static var options: [(inout StepOptions) -> Bool] {
    [
      { set(&$0.after, []) },
      { set(&$0.condition, nil) },
      { set(&$0.enabled, .literal(true)) },
      { set(&$0.deferral, .never) },
      { set(&$0.blocking, nil) },
      { set(&$0.isOptional, false) },
      { set(&$0.deadline, nil) },
      { $0.deadline?.max != nil && set(&$0.deadline, \.min, nil) },
      { $0.deadline?.min != nil && set(&$0.deadline, \.max, nil) },
      { set(&$0.retry, nil) },
      { set(&$0.retry, \.attemptDeadline, nil) },
      { set(&$0.retry, \.jitter, .none) },
      { set(&$0.retry, \.backoff, 1) },
      { set(&$0.queue, nil) },
      { set(&$0.estimate, nil) },
      { set(&$0.request, nil) },
      { set(&$0.request, \.memoryBytes, 0) },
      { set(&$0.request, \.gpus, 0) },
      { set(&$0.request, \.cpus, 1) },
      { set(&$0.fanOut, nil) },
      { set(&$0.fanOut, \.parallel, nil) },
      { set(&$0.fanOut, \.isFailFast, true) },
      { set(&$0.fanOut, \.deadline, nil) },
    ]
  }

  private static var scripts: [(inout StepScript) -> Bool] {
    [
      { set(&$0, .succeeds(after: .zero)) },
      { $0 == .succeeds(after: .zero) ? false : set(&$0, .succeeds(after: .milliseconds(10))) },
      { set(&$0.isService, false) },
      { set(&$0.isCommandService, false) },
      { set(&$0.declaredEvents, $0.attempts.flatMap(\.posts).map(\.event)) },
      { $0.attempts.count == 1 ? false : set(&$0.attempts, [$0.attempts[0]]) },
      { set(&$0.draws, []) },
      { set(&$0.attempts[0].posts, []) },
      { set(&$0.attempts[0].retryAfter, nil) },
      { set(&$0.attempts[0].ending, .success) },
      { set(&$0.attempts[0].respondsToCancellationAfter, .zero) },
      {
        ($0.attempts[0].duration ?? .seconds(1)) <= .milliseconds(10)
          ? false : set(&$0.attempts[0].duration, .milliseconds(10))
      },
      { set(&$0.attempts[0].duration, .zero) },
    ]
  }
}

extension Scenario {
  /// Returns the scenario without one step, which is also removed from all dependencies.
  func without(step removed: Int) -> Scenario {
    var copy = self
    copy.workflow.steps.remove(at: removed)
    copy.scripts.remove(at: removed)
    for index in copy.workflow.steps.indices {
      let needs = copy.workflow.steps[index].needs.filter { $0 != StepIndex(removed) }
      copy.workflow.steps[index].needs = needs.map { $0 > StepIndex(removed) ? $0 - 1 : $0 }[...]
    }
    return copy
  }
}
