import FlowModel
import FlowTestKit
import Synchronization
import Testing

@testable import FlowEngine

/// The events that an observer receives from runs with thousands of steps.
@Suite(.timeLimit(.minutes(10))) struct EventOrderTests {
  @Test func `an observer receives every transition of a step once and in order, even if steps fail or are retried`()
    async throws
  {
    let seed = SeededGenerator.environmentSeed ?? 41
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    // The steps fill several chunks of records. Some of them fail, are retried or are skipped.
    let steps = (0..<6_000).map { place in
      let needs = (0..<min(place, 2)).map { _ in StepIndex.random(in: 0..<StepIndex(place), using: &random) }
      let kind = Int.random(in: 0..<400, using: &random)
      let uses = kind == 0 ? "flow.fail" : kind == 1 ? "probe.fail-twice" : "flow.noop"
      return Step("s\(place)", uses, with: kind == 0 ? ["message": "no"] : [:], needs: Set(needs).sorted()) {
        if kind == 0 { $0.isOptional = place % 2 == 0 }
        if kind == 1 { $0.retry = RetryPolicy(attempts: 3, delay: .milliseconds(1)) }
      }
    }
    let listener = Listener()
    var fixture = EngineFixture(steps)
    fixture.change = { $0.observer = listener }
    let report = try await fixture.run()
    let heard = listener.heard
    #expect(heard.times == heard.times.sorted())
    for (place, step) in report.steps.enumerated() {
      let expected: [String] =
        switch (step.outcome, step.attempts) {
        case (.skipped, _): ["skipped"]
        case (let outcome, 1): ["ready", "1 user-initiated", outcome.word]
        case (let outcome, _):
          [
            "ready", "1 user-initiated", "retry 1", "2 user-initiated", "retry 2", "3 user-initiated", outcome.word,
          ]
        }
      try #require(heard.steps["s\(place)"] == expected)
      if let started = step.startedAt {
        let duration = try #require(heard.durations["s\(place)"])
        try #require(abs(duration - (step.endedAt! - started)) < 0.002)
      }
    }
    // The test proves something only if steps fail and are skipped.
    #expect(report.steps.contains { $0.outcome == .failure } && report.steps.contains { $0.outcome == .skipped })
    #expect(report.steps.contains { $0.attempts == 3 })
  }

  @Test func `log lines, posts and the opening of the gate are delivered in chronological order`() async throws {
    let steps = (0..<3_000).map { index in
      switch index % 3 {
      case 0: Step("s\(index)", "flow.log", with: ["message": "here"])
      case 1: Step("s\(index)", "flow.post", with: ["event": .string("event-\(index)")])
      default: Step("s\(index)", needs: [StepIndex(index - 1)])
      }
    }
    let listener = Listener()
    var fixture = EngineFixture(
      steps, gate: GateDeadline(min: .literal(.milliseconds(1)), max: .literal(.milliseconds(10))))
    fixture.change = { $0.observer = listener }
    let report = try await fixture.run()
    #expect(report.conclusion != .failure)
    let times = listener.heard.times
    #expect(times.count > 9_000)
    #expect(times == times.sorted())
  }
}

private final class Listener: RunObserver {
  struct Heard {
    var times: [Int] = []
    var steps: [String: [String]] = [:]
    var durations: [String: Double] = [:]
  }

  private let state = Mutex(Heard())
  var heard: Heard { state.withLock { $0 } }

  func receive(_ events: [RunEvent]) {
    state.withLock { state in
      for event in events {
        state.times.append(event.atNanoseconds)
        switch event.kind {
        case .stepReady(let step): state.steps[step.text, default: []].append("ready")
        case .stepStarted(let step, let attempt, let queue):
          state.steps[step.text, default: []].append("\(attempt) \(queue)")
        case .stepRetrying(let step, let attempt, _, _):
          state.steps[step.text, default: []].append("retry \(attempt)")
        case .stepFinished(let step, let finished):
          state.steps[step.text, default: []].append(finished.outcome.word)
          state.durations[step.text] = finished.durationMilliseconds
        default: break
        }
      }
    }
  }
}
