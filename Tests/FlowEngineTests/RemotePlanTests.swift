import FlowModel
import FlowTestKit
import Testing

@testable import FlowEngine

/// The plan of steps that executors run, tested with single events.
struct RemotePlanTests {
  private let second = 1_000_000_000

  private func plan(
    _ steps: [Step], away: [StepIndex], slots: Int = 2, concurrency: Int? = nil
  ) throws -> Plan {
    var workflow = Workflow(name: "test", steps: steps)
    workflow.concurrency = concurrency
    let remote = RemoteSteps(
      executors: [RemoteSteps.Executor(name: "slurm", slots: slots)],
      assignment: Dictionary(uniqueKeysWithValues: away.map { ($0, 0) }))
    var plan = Plan(graph: try WorkflowGraph(workflow), remote: remote)
    plan.apply(.activated(Resolution()), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    return plan
  }

  private func startRemote(_ plan: inout Plan, at now: Int = 0) -> (step: StepIndex, attempt: Int)? {
    let start = plan.startNextRemotely(at: now)
    #expect(plan.problems() == [])
    return start
  }

  @Test func `a remote step needs a slot, but no thread`() throws {
    var plan = try plan([Step("a"), Step("b"), Step("c"), Step("here")], away: [0, 1, 2])
    #expect(startRemote(&plan)?.step == 0)
    #expect(startRemote(&plan)?.step == 1)
    #expect(startRemote(&plan) == nil)
    for pool in Pool.all where pool != .threads(.userInitiated) { #expect(plan.startableSteps(in: pool) == 0) }
    #expect(plan.startNext(in: .threads(.userInitiated), at: 0)?.step == 3)
    #expect(plan.startNext(in: .threads(.userInitiated), at: 0) == nil)
    plan.apply(.ended(0, attempt: 1, .success), at: 5)
    #expect(startRemote(&plan, at: 5)?.step == 2)
  }

  @Test func `remote steps count toward the concurrency limit`() throws {
    var plan = try plan([Step("here"), Step("a"), Step("b")], away: [1, 2], concurrency: 2)
    // The local step has a lower rank, so no remote step passes it.
    #expect(startRemote(&plan) == nil)
    #expect(plan.startNext(in: .threads(.userInitiated), at: 0)?.step == 0)
    #expect(startRemote(&plan)?.step == 1)
    #expect(startRemote(&plan) == nil)
  }

  @Test func `the deadline of a remote step counts from the time when its body begins`() throws {
    var options = StepOptions()
    options.deadline = StepDeadline(max: .seconds(1))
    var plan = try plan([Step(id: StepID(unchecked: "a"), uses: "x.y", options: options)], away: [0])
    #expect(startRemote(&plan)?.attempt == 1)
    #expect(plan.nextTimerNanoseconds == nil)
    #expect(plan.limitOfUnbegun(0, attempt: 1) == .seconds(1))
    plan.apply(.begun(0, attempt: 1), at: 10 * second)
    #expect(plan.nextTimerNanoseconds == 11 * second)
    #expect(plan.maximum(of: 0, attempt: 1) == 11 * second)
    #expect(plan.limitOfUnbegun(0, attempt: 1) == nil)
    plan.apply(.timePassed, at: 11 * second)
    #expect(plan[0].outcome == .timedOut)
  }

  @Test func `a remote step counts as started when its worker reports it, not while it is queued`() throws {
    var options = StepOptions()
    options.fanOut = FanOut(.items([1, 2]))
    var plan = try plan([Step(id: StepID(unchecked: "f"), uses: "x.y", options: options), Step("a")], away: [0, 1])
    plan.detail = .full
    plan.apply(.expanded(0, .items(FanOutItems(count: 2))), at: 0)
    func starts() -> [StepIndex] {
      plan.takeRecords().flatMap { Array($0) }.compactMap { record in
        if case .complete(.started(let step, _, _)) = record.kind { step } else { nil }
      }
    }
    let first = try #require(startRemote(&plan)?.step)
    let second = try #require(startRemote(&plan)?.step)
    #expect(starts() == [])
    plan.apply(.begun(second, attempt: 1), at: 5)
    plan.apply(.begun(second, attempt: 1), at: 6)
    #expect(starts() == [0, second])
    plan.apply(.begun(first, attempt: 1), at: 7)
    plan.apply(.ended(first, attempt: 1, .success), at: 8)
    #expect(starts() == [first])
    #expect(startRemote(&plan, at: 9)?.step == 1)
    #expect(starts() == [])
    plan.apply(.begun(1, attempt: 1), at: 10)
    #expect(starts() == [1])
  }

  @Test func `a remote step that was lost runs again as the next attempt, at most three times`() throws {
    var plan = try plan([Step("a")], away: [0])
    let failure = StepFailure(code: "executor-lost", message: "gone")
    for attempt in 1...3 {
      #expect(startRemote(&plan)?.attempt == attempt)
      plan.apply(.ended(0, attempt: attempt, .interrupted(failure, isFinal: false)), at: attempt)
      #expect(plan.problems() == [])
      #expect(plan[0].outcome == nil)
    }
    #expect(startRemote(&plan)?.attempt == 4)
    plan.apply(.ended(0, attempt: 4, .interrupted(failure, isFinal: false)), at: 5)
    #expect(plan[0].outcome == .failure)
    #expect(plan[0].failure == failure)
  }

  @Test func `a lost attempt of a remote step does not count toward the attempts that retry allows`() throws {
    var options = StepOptions()
    options.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    var plan = try plan([Step(id: StepID(unchecked: "a"), uses: "x.y", options: options)], away: [0])
    _ = startRemote(&plan)
    plan.apply(
      .ended(0, attempt: 1, .interrupted(StepFailure(code: "executor-lost", message: ""), isFinal: false)), at: 1)
    #expect(startRemote(&plan)?.attempt == 2)
    let failure = StepFailure(code: "x", message: "")
    plan.apply(.ended(0, attempt: 2, .failure(failure, isRetryable: true)), at: 2)
    #expect(plan[0].outcome == nil)
    plan.apply(.timePassed, at: 2 * second)
    #expect(startRemote(&plan, at: 2 * second)?.attempt == 3)
    plan.apply(.ended(0, attempt: 3, .failure(failure, isRetryable: true)), at: 3 * second)
    #expect(plan[0].outcome == .failure)
  }

  @Test func `a lost attempt fails the step if another attempt would be lost, too`() throws {
    var plan = try plan([Step("a")], away: [0])
    _ = startRemote(&plan)
    plan.apply(
      .ended(0, attempt: 1, .interrupted(StepFailure(code: "executor-lost", message: ""), isFinal: true)), at: 1)
    #expect(plan[0].outcome == .failure)
  }

  @Test func `on-interrupt: fail also applies to attempts lost on an executor`() throws {
    var options = StepOptions()
    options.onInterrupt = .fail
    var plan = try plan([Step(id: StepID(unchecked: "a"), uses: "x.y", options: options)], away: [0])
    _ = startRemote(&plan)
    plan.apply(
      .ended(0, attempt: 1, .interrupted(StepFailure(code: "executor-lost", message: ""), isFinal: false)), at: 1)
    #expect(plan[0].outcome == .failure)
  }

  @Test func `a lost attempt of an item is repeated, and the other items run as usual`() throws {
    var options = StepOptions()
    options.fanOut = FanOut(.items([1, 2]))
    var plan = try plan([Step(id: StepID(unchecked: "a"), uses: "x.y", options: options)], away: [0], slots: 1)
    plan.apply(.expanded(0, .items(FanOutItems(count: 2))), at: 0)
    let start = startRemote(&plan)
    let first = try #require(start)
    plan.apply(
      .ended(first.step, attempt: 1, .interrupted(StepFailure(code: "executor-lost", message: ""), isFinal: false)),
      at: 1)
    #expect(plan.problems() == [])
    let again = startRemote(&plan, at: 1)
    let second = try #require(again)
    #expect(second.step == first.step)
    #expect(second.attempt == 2)
    plan.apply(.begun(second.step, attempt: 2), at: 2)
    plan.apply(.ended(second.step, attempt: 2, .success), at: 3)
    let next = startRemote(&plan, at: 3)
    let third = try #require(next)
    #expect(third.step != first.step)
    plan.apply(.ended(third.step, attempt: 1, .success), at: 4)
    _ = plan.takeEffects()
    #expect(plan[0].outcome == .success)
  }

  @Test func `a fast path is possible while remote steps wait for a slot`() throws {
    var plan = try plan([Step("a"), Step("b"), Step("c"), Step("d")], away: [0, 1], slots: 1)
    _ = startRemote(&plan)
    let pool = Pool.threads(.userInitiated)
    #expect(plan.queuedSteps == 3)
    #expect(!plan.concernsOthers(than: pool))
    let first = plan.startNext(in: pool, at: 0)
    #expect(first?.step == 2)
    #expect(plan.fastPath(from: 2, attempt: 1, in: pool) != nil)
    plan.apply(.ended(0, attempt: 1, .success), at: 1)
    #expect(plan.concernsOthers(than: pool))
  }

  @Test func `the journal contains the time at which a worker began each attempt of a step`() throws {
    var options = StepOptions()
    options.retry = RetryPolicy(attempts: 2, delay: .seconds(1))
    var plan = try plan([Step(id: StepID(unchecked: "a"), uses: "x.y", options: options), Step("b")], away: [0])
    plan.keepEntries(startsToo: false)
    #expect(startRemote(&plan)?.attempt == 1)
    plan.apply(.begun(0, attempt: 1), at: 2 * second)
    let failure = StepFailure(code: "broken", message: "once")
    plan.apply(.ended(0, attempt: 1, .failure(failure, isRetryable: true)), at: 3 * second)
    plan.apply(.timePassed, at: 4 * second)
    #expect(startRemote(&plan, at: 5 * second)?.attempt == 2)
    plan.apply(.begun(0, attempt: 2), at: 6 * second)
    plan.apply(.ended(0, attempt: 2, .success), at: 7 * second)
    let attemptTimes = [
      AttemptTimes(startedAt: 0, begunAt: 2 * second, endedAt: 3 * second),
      AttemptTimes(startedAt: 5 * second, begunAt: 6 * second, endedAt: 7 * second),
    ]
    #expect(plan.attemptTimes(of: 0) == attemptTimes)
    #expect(plan.beginning(of: 0) == 2 * second)
    #expect(plan.beginning(of: 1) == nil)
    var writer = EntryWriter()
    writer.add(plan.takeEntries())
    var reader = EntryReader(writer.bytes, stepCount: 2)
    var restored = Plan(graph: plan.graph)
    restored.beginRestoring(wasPrewarmed: false)
    restored.restore(.activated(Resolution(), atNanoseconds: 0))
    while case .entry(let entry)? = try reader.next() { restored.restore(entry) }
    restored.endRestoring(at: 8 * second, gateCountsAnew: false)
    #expect(restored.beginning(of: 0) == 2 * second)
    #expect(restored.attemptTimes(of: 0) == attemptTimes)
  }

  @Test func `the journal contains the times of each lost attempt, for steps and for items`() throws {
    var fanOut = StepOptions()
    fanOut.fanOut = FanOut(.items([1]))
    var plan = try plan(
      [Step("a"), Step(id: StepID(unchecked: "b"), uses: "x.y", options: fanOut)], away: [0, 1])
    plan.keepEntries(startsToo: false)
    plan.apply(.expanded(1, .items(FanOutItems(count: 1))), at: 0)
    let lost = StepFailure(code: "executor-lost", message: "gone")
    var instances: [StepIndex] = []
    for _ in 0..<2 { if let next = startRemote(&plan) { instances.append(next.step) } }
    #expect(instances.count == 2)
    for step in instances {
      plan.apply(.begun(step, attempt: 1), at: second)
      plan.apply(.ended(step, attempt: 1, .interrupted(lost, isFinal: false)), at: 2 * second)
    }
    for _ in 0..<2 { _ = startRemote(&plan, at: 3 * second) }
    for step in instances {
      plan.apply(.begun(step, attempt: 2), at: 4 * second)
      plan.apply(.ended(step, attempt: 2, .success), at: 5 * second)
    }
    let attemptTimes = [
      AttemptTimes(startedAt: 0, begunAt: second, endedAt: 2 * second),
      AttemptTimes(startedAt: 3 * second, begunAt: 4 * second, endedAt: 5 * second),
    ]
    var restored = Plan(graph: plan.graph)
    restored.beginRestoring(wasPrewarmed: false)
    restored.restore(.activated(Resolution(), atNanoseconds: 0))
    plan.takeEntries().forEach { restored.restore($0) }
    restored.endRestoring(at: 8 * second, gateCountsAnew: false)
    for step in instances { #expect(plan.attemptTimes(of: step) == attemptTimes) }
    #expect(restored.attemptTimes(of: 0) == attemptTimes)
    #expect(restored.attemptTimes(of: restored.instance(ofItem: 0, of: 1)) == attemptTimes)
  }
}
