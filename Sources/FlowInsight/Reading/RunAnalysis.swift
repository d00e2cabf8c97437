import FlowEngine
import FlowModel

/// One run explained: the critical path to the gate, everybody's slack, and what would have helped.
package struct RunAnalysis: Sendable {
  /// The run.
  package let run: ReportedRun
  /// The critical path to the gate.
  package let criticalPath: [PathSegment]
  /// By how much each step that was looked at could have been longer; nil: by any time.
  package private(set) var slack: [Int: Int?] = [:]
  /// Whether the slack of some steps was not looked for, because there are so many.
  package private(set) var isSlackPartial = false
  /// What would have helped: times until ready.
  package private(set) var suggestions: [Suggestion] = []

  /// Steps that asked a cluster for too much or too little.
  package var resources: [ResourceAdvice] { ResourceAdvice.all(of: run.jobs) }

  /// The number of steps that are played at most to find slack: half a second's worth.
  private static let playLimit = 1_500_000

  /// Explains a run; with `isBrief` only its critical path, which takes no time.
  package init(_ run: ReportedRun, isBrief: Bool = false) {
    self.run = run
    criticalPath = run.criticalPath
    guard !isBrief, run.course.shape.knowsDependencies, let playback = CoursePlayback(run) else { return }
    findSlack(playback)
    findSuggestions(playback)
  }

  /// How long each cause took together, in nanoseconds.
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
    // The longest first: a step of no length has no slack that anybody asks for.
    let candidates = ran.sorted { (length($0), $1) > (length($1), $0) }
    let plays = max(12, min(64, Self.playLimit / max(1, steps.count * steps.count)))
    let count = min(candidates.count, max(1, Self.playLimit / max(1, plays * steps.count)))
    isSlackPartial = count < ran.count
    for step in candidates.prefix(count) {
      slack.updateValue(playback.slack(of: step, limit: limit, plays: plays), forKey: step)
    }
  }

  /// Up to the maximum, or ten times the run.
  private var slackLimit: Int {
    if let maximum = run.course.maximum { return max(1, maximum) }
    return max(1, run.nanoseconds) * 10
  }

  private func length(_ step: Int) -> Int { run.course.length(of: step) }

  /// Of at most ten steps that had the most of the way.
  private mutating func findSuggestions(_ playback: CoursePlayback) {
    guard let before = playback.ready, run.course.steps.count <= 20_000 else { return }
    var shares: [Int: Int] = [:]
    for link in criticalPath { if let step = link.step { shares[step, default: 0] += link.length } }
    var found: [Suggestion] = []
    for (step, share) in shares.sorted(by: { ($0.value, $1.key) > ($1.value, $0.key) }).prefix(10) where share > 0 {
      let faster = playback.readyAt([step: -length(step) / 10])
      found.append(Suggestion(change: .faster, step: StepIndex(step), before: before, after: faster))
      // Without a gate there is nothing that a deferred step could wait for.
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
  /// Whether the gate waits for nothing behind a step, so that it may be deferred.
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
