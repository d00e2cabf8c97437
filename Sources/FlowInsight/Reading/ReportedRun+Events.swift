import FlowEngine
import FlowModel

extension ReportedRun {
  /// The run as events of the kind that an observer receives: starts, attempts and ends of steps, posted events, and
  /// the gate. A running step has no end event.
  package var events: [RunEvent] {
    var events = posts.map { RunEvent(atNanoseconds: $0.at, .eventPosted($0.event, number: nil)) }
    if let outcome = course.outcome, let at = course.openedAt {
      events.append(RunEvent(atNanoseconds: at, .gateOpened(outcome)))
    }
    for (shape, step) in zip(course.shape.steps, course.steps) {
      guard let started = step.startedAt else { continue }
      let id = StepID(unchecked: shape.id)
      let attempts = step.attemptTimes.isEmpty ? [started..<max(started, step.endedAt ?? .max)] : step.attemptTimes
      for (number, attempt) in attempts.enumerated() {
        events.append(
          RunEvent(
            atNanoseconds: attempt.lowerBound, .stepStarted(id, attempt: number + 1, queue: shape.queue)))
        guard number < attempts.count - 1 else { continue }
        events.append(
          RunEvent(
            atNanoseconds: attempt.upperBound,
            .stepRetrying(id, attempt: number + 1, delayMilliseconds: 0, failure: nil)))
      }
      guard let ended = step.endedAt, let outcome = step.outcome else { continue }
      let finished = RunEvent.FinishedStep(outcome: outcome, conclusion: outcome, attempts: attempts.count)
      events.append(RunEvent(atNanoseconds: ended, .stepFinished(id, finished)))
    }
    return events.enumerated().sorted { ($0.element.atNanoseconds, $0.offset) < ($1.element.atNanoseconds, $1.offset) }
      .map(\.element)
  }
}
