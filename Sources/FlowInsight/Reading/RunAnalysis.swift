import FlowEngine
import FlowModel

/// The analysis of one run: the critical path to the gate, the slack of each step, and suggested changes.
package struct RunAnalysis: Sendable {
  package let run: ReportedRun
  package let criticalPath: [PathSegment]
  /// The slack of each examined step in nanoseconds. An inner nil means that any additional time is possible.
  package private(set) var slack: [Int: Int?] = [:]
  /// True if slack was computed only for some steps because there were too many.
  package private(set) var isSlackPartial = false
  /// The changes that would have reduced the time until everything was ready.
  package private(set) var suggestions: [Suggestion] = []

  /// The recommendations for steps that requested too much or too little from a cluster.
  package var resources: [ResourceAdvice] { ResourceAdvice.all(of: run.jobs) }

  /// The maximum number of steps to simulate while searching for slack. Simulating that many takes about half a second.
  private static let playLimit = 1_500_000

  /// Analyzes a run. If `isBrief`, only the critical path is computed, which takes almost no time.
  package init(_ run: ReportedRun, isBrief: Bool = false) {
    self.run = run
    criticalPath = run.criticalPath
    // An interrupted run has no end, so no change could make it end earlier.
    guard !isBrief, run.conclusion != "interrupted", run.course.shape.knowsDependencies,
      let playback = CoursePlayback(run)
    else { return }
    findSlack(playback)
    findSuggestions(playback)
  }

  /// The total time of each cause on the critical path, in nanoseconds.
  package var causes: [PathCause: Int] {
    var sums: [PathCause: Int] = [:]
    for link in criticalPath { sums[link.cause, default: 0] += link.length }
    return sums
  }

  private mutating func findSlack(_ playback: CoursePlayback) {
    let steps = run.course.steps
    guard let ready = playback.ready else { return }
    let limit = slackLimit
    let ran = steps.indices.filter { steps[$0].startedAt != nil && steps[$0].outcome != .skipped }
    if let all = UncontendedSlack(run.course, readyAt: ready) {
      for step in ran { slack.updateValue(all.slack[step] < limit ? all.slack[step] : nil, forKey: step) }
      return
    }
    // The longest steps come first, because the slack of a very short step is not interesting.
    let candidates = ran.sorted { (length($0), $1) > (length($1), $0) }
    let plays = max(12, min(64, Self.playLimit / max(1, steps.count * steps.count)))
    let count = min(candidates.count, max(1, Self.playLimit / max(1, plays * steps.count)))
    isSlackPartial = count < ran.count
    for step in candidates.prefix(count) {
      slack.updateValue(playback.slack(of: step, limit: limit, plays: plays), forKey: step)
    }
  }

  /// The maximum slack to search for: the gate's maximum or, if it has none, ten times the duration of the run.
  private var slackLimit: Int {
    if let maximum = run.course.maximum { return max(1, maximum) }
    return max(1, run.nanoseconds) * 10
  }

  private func length(_ step: Int) -> Int { run.course.length(of: step) }

  /// Tests changes to the steps that took most of the critical path, at most ten.
  private mutating func findSuggestions(_ playback: CoursePlayback) {
    guard let before = playback.ready, run.course.steps.count <= 20_000 else { return }
    var shares: [Int: Int] = [:]
    for link in criticalPath { if let step = link.step { shares[step, default: 0] += link.length } }
    var found: [Suggestion] = []
    for (step, share) in shares.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }).prefix(10) where share > 0 {
      let faster = playback.readyAt([step: -length(step) / 10])
      found.append(Suggestion(change: .faster, step: StepIndex(step), before: before, after: faster))
      // Steps can be deferred only if there is a gate.
      guard run.course.hasGate, run.course.isHarmless(step) else { continue }
      let deferred = CoursePlayback(run, deferring: [step])?.ready
      found.append(Suggestion(change: .defer, step: StepIndex(step), before: before, after: deferred))
    }
    suggestions = Array(
      found.filter { $0.gain >= Suggestion.leastGain(before: before) }.sorted {
        ($0.gain, -Int($0.step)) > ($1.gain, -Int($1.step))
      }.prefix(10))
  }
}

extension RunCourse {
  /// True if the step can be deferred: it is not deferred already, and the gate does not wait for anything downstream
  /// of it.
  fileprivate func isHarmless(_ step: Int) -> Bool {
    guard !shape.steps[step].isDeferred else { return false }
    var behind: [[Int]] = Array(repeating: [], count: steps.count)
    for other in shape.steps.indices where !shape.steps[other].isDeferred {
      for need in shape.steps[other].needs { behind[need].append(other) }
      for name in shape.steps[other].after { if let poster = events[name]?.poster { behind[poster].append(other) } }
    }
    var seen: Set<Int> = [step]
    var next = [step]
    while let one = next.popLast() {
      for other in behind[one] where seen.insert(other).inserted {
        if shape.steps[other].isBlocking { return false }
        next.append(other)
      }
    }
    return true
  }
}
