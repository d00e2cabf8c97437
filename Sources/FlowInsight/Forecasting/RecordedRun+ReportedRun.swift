import FlowEngine
import FlowModel

extension RecordedRun {
  /// Extracts from a report the data that a forecast uses, matching steps by id. `declared` returns the events that a
  /// step may post. An event counts as posted from outside the run if its poster is unknown and no step that ran
  /// declares it.
  package init(_ run: ReportedRun, of workflow: Workflow, declared: (StepIndex) -> [String]) {
    let course = run.course
    let indices = Dictionary(uniqueKeysWithValues: course.shape.steps.enumerated().map { ($1.id, $0) })
    var steps: [Step?] = []
    var own: Set<String> = [LifecycleEvent.activate.rawValue]
    for index in workflow.steps.indices {
      guard let recorded = indices[workflow.steps[index].id.text] else {
        steps.append(nil)
        continue
      }
      if course.steps[recorded].startedAt != nil { own.formUnion(declared(StepIndex(index))) }
      steps.append(Step(run, recorded))
    }
    self.init(name: run.id, steps: steps)
    outsideEvents = run.posts.filter { $0.poster == nil && !own.contains($0.event) }.map {
      RunPost(afterNanoseconds: max(0, $0.at), event: $0.event)
    }
  }
}

extension RecordedRun.Step {
  fileprivate init(_ run: ReportedRun, _ index: Int) {
    self.init()
    let step = run.course.steps[index]
    if step.outcome == .skipped, run.reasons[index] == SkipReason.condition.word { condition = false }
    // The duration of a cancelled step is not representative.
    guard let started = step.startedAt, let ended = step.endedAt, step.outcome != .cancelled, step.outcome != .skipped
    else { return }
    condition = true
    isTimedOut = step.outcome == .timedOut
    let times = step.attemptTimes.isEmpty ? [started..<max(started, ended)] : step.attemptTimes
    attemptTimes = times.indices.map { number in
      Attempt(nanoseconds: times[number].count, isSuccess: number == times.count - 1 && step.outcome == .success)
    }
    waitNanoseconds = run.course.waitForThread(of: index)
    if let items = run.items[index] {
      itemCount = items.count
      itemNanoseconds = items
    }
    let posted = run.posts.filter { $0.poster == index }
    knowsPosts = run.posts.contains { $0.poster != nil }
    posts = posted.map { RunPost(afterNanoseconds: max(0, $0.at - started), event: $0.event) }
  }
}

extension RunCourse {
  /// Returns the time that a ready step waited for a thread, or 0 if it was never ready, did not start, or ran on an
  /// executor. If the step first needed a slot or resources, the wait counts from the instant at which another step
  /// last released one.
  fileprivate func waitForThread(of step: Int) -> Int {
    guard let ready = steps[step].readyAt, let started = steps[step].startedAt, steps[step].beginnings == nil else {
      return 0
    }
    let own = shape.steps[step]
    let sharers = steps.indices.filter { other in
      other != step
        && (shape.concurrency != nil || shape.widths[own.queue] != nil && shape.steps[other].queue == own.queue
          || own.takesResources && shape.steps[other].takesResources)
    }
    let freed = sharers.flatMap { steps[$0].bodies }.map(\.upperBound).filter { $0 <= started }.max() ?? ready
    return max(0, started - max(ready, freed))
  }
}
