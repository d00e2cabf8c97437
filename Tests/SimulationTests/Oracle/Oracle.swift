import FlowModel
import FlowTestKit

/// Determines the result of a scenario from the contract, in the most literal way. It has a list of due items, sorts it
/// before each item, and passes over all steps after each item until nothing changes.
///
/// It shares no code with the engine and keeps no counters. Times are nanoseconds from the start of the run, but the
/// times in the resulting record count from activation.
///
/// If the contract allows several rules, the one that is simplest to explain is used and marked *Decision*.
struct Oracle {
  let scenario: Scenario
  let steps: [Step]
  /// The options of the steps, followed by those of the items.
  var options: [StepOptions]
  /// The fan-outs of the steps, then the scripts of steps and items.
  let fanOuts: [FanOut?]
  var scripts: [StepScript]
  /// The step of each item. In all arrays of steps, the items follow the steps.
  var itemOwners: [Int]
  let needs: [[Int]]
  /// The order in which steps start if capacity is limited.
  var rankOrder: [Int] = []
  let queueWidths: [String: Int]
  let conditions: [OracleExpression]
  /// True for each step whose own `if` contains a status function.
  let statesStatus: [Bool]

  /// The waiting step that the last started step passed, and the number of times in succession that steps have passed
  /// it.
  var passed: (step: Int, count: Int)?

  var now = 0
  var activatedAt: Int?
  var cancelledAt: Int?
  var isBudgetSpent = false
  /// The time at which cleanup began. Nil while bodies that the cancellation asked to end have not returned.
  var cleanupBeganAt: Int?
  var isStopping = false
  /// The time at which steps that wait for an occupied main queue fail.
  var mainLimit: Int?
  var endedAt: Int?
  var gate = RunRecord.GateRecord()
  var gateMin: Int?
  var isMinimumReached = false
  var gateMax: Int?
  var events: [String: Int] = [:]
  /// The times of each repeating event's posts.
  var posts: [String: [Int]] = [:]
  var states: [StepState]
  var bodies: [Body] = []
  /// The outside events that have not happened, in the order in which they are applied within an instant.
  var outside: [Outside] = []

  /// The phases in the life of a step.
  enum Phase: Equatable {
    /// The step waits for dependencies, events, the gate, activation or an idle run.
    case waiting
    case queued
    case running
    /// The step is between two attempts.
    case pausing(until: Int)
    /// The step has succeeded, but must not report that before its minimum.
    case held(until: Int)
    /// The step runs for posts and waits for the next one.
    case following
    case finished
  }

  struct StepState {
    var phase = Phase.waiting
    var outcome: String?
    var reason: String?
    var isDeferred = false
    var isIdle = false
    var isBlocking = false
    /// True if the condition was true and the step waits only for an idle run.
    var isWaitingForIdleness = false
    var attempts = 0
    var readyAt: Int?
    var startedAt: Int?
    var endedAt: Int?
    var overrun: Int?
    var isAbandoned = false
    /// True if a service was ready and later returned an error on its own.
    var hasFailedAfterReady = false
  }

  /// The body of one attempt.
  struct Body {
    var step: Int
    var sequence: Int
    var startedAt: Int
    var script: StepBehavior
    var isService: Bool
    var postsDone = 0
    var isReady = false
    var toldToStopAt: Int?
    var isAbandoned = false
    var returnedAt: Int?
  }

  /// The kinds of events from outside the run, in the order in which they are applied within an instant.
  enum Outside: Equatable {
    case activation(Int)
    case event(String, Int)
    case finishPosting(Int)
    case cancel(Int)

    var at: Int {
      switch self {
      case .activation(let at), .event(_, let at), .finishPosting(let at), .cancel(let at): at
      }
    }
  }

  static let grace = 1_000_000_000
  static let cleanupBudget = 5_000_000_000

  init(_ scenario: Scenario) {
    self.scenario = scenario
    let steps = scenario.workflow.steps
    self.steps = steps
    fanOuts = steps.map(\.options.fanOut)
    let itemOwners = steps.indices.flatMap { step in
      Self.hasKnownItems(steps[step]) ? scenario.scripts[step].items.map { _ in step } : []
    }
    self.itemOwners = itemOwners
    states = (steps.indices.map { $0 } + itemOwners).map { _ in StepState() }
    scripts =
      scenario.scripts
      + steps.indices.flatMap { Self.hasKnownItems(steps[$0]) ? scenario.scripts[$0].items : [] }
    // The `deadline` of a step with items is that of each item. The step itself has the `deadline` of its `foreach`.
    // Attempts are counted for each item.
    let options =
      steps.map { step in
        var options = step.options
        guard let fanOut = options.fanOut else { return options }
        options.retry = nil
        options.deadline = fanOut.deadline.map { StepDeadline(max: $0) }
        return options
      } + itemOwners.map { scenario.workflow.steps[$0].options }
    self.options = options
    needs = steps.map { $0.needs.map(Int.init) }
    // In `finally`, an `if` is not combined with `success()`. Without an `if`, the condition is true.
    conditions = steps.map(\.options).map { options in
      options.isFinal
        ? OracleExpression(plain: options.condition ?? "true") : OracleExpression(condition: options.condition)
    }
    statesStatus = steps.map(\.options).map { options in
      options.isFinal
        || OracleExpression.statusFunctions.contains { options.condition?.contains($0) ?? false }
    }
    var widths = ["main": 1]
    for queue in scenario.workflow.queues { widths[queue.name] = queue.width }
    queueWidths = widths
    if let at = scenario.activatedAt { outside.append(.activation(at.nanoseconds)) }
    for event in scenario.outsideEvents { outside.append(.event(event.name, event.at.nanoseconds)) }
    if case .open(let until) = scenario.outsideSource { outside.append(.finishPosting(until.nanoseconds)) }
    if let at = scenario.cancelledAt { outside.append(.cancel(at.nanoseconds)) }
  }

  /// Returns the record of a run of `scenario`.
  static func record(of scenario: Scenario) -> RunRecord {
    var oracle = Oracle(scenario)
    oracle.run()
    return oracle.record
  }

  // MARK: - The agenda

  mutating func run() {
    begin()
    finishEverything()
    while endedAt == nil, let item = agenda.min(by: { $0.due < $1.due }) {
      now = item.due.instant
      if item.due.isTimer { handleTimers() } else { apply(item.action) }
      finishEverything()
    }
  }

  /// The order of due items: by time, then by kind, then by position within the kind.
  struct Due: Comparable {
    var instant: Int
    var kind: Int
    var place: Int
    var part = 0

    /// False for bodies, events from outside the run, and the timers of the gate.
    var isTimer: Bool { (3...9).contains(kind) }

    static func < (left: Due, right: Due) -> Bool {
      if left.instant != right.instant { return left.instant < right.instant }
      if left.kind != right.kind { return left.kind < right.kind }
      return left.place != right.place ? left.place < right.place : left.part < right.part
    }
  }

  /// An action of the agenda with the time at which it is due.
  struct Item {
    var due: Due
    var action: Action
  }

  enum Action {
    case post(body: Int)
    case ready(body: Int)
    case bodyReturns(body: Int)
    case outside(index: Int)
    case attemptDeadline(step: Int)
    case stepDeadline(step: Int)
    case pauseOver(step: Int)
    case minimumReached(step: Int)
    case graceOver(body: Int)
    case cleanupBudgetSpent
    case mainLimit
    case gateMinimum
    case gateMaximum
  }

  /// All items that are due now or later. *Decision* about their order at one instant: bodies come first, in the order
  /// in which they started; then events from outside the run (activation, events as listed, the end of posting,
  /// cancellation); then timers (deadlines by step, pauses, minimums, graces, the limit for cleanup, the limit for
  /// steps on `main`), all before any step starts; and the gate's timers last. The contract requires that completions
  /// come before timers.
  var agenda: [Item] {
    var items: [Item] = []
    for (index, body) in bodies.enumerated() where body.returnedAt == nil {
      if body.postsDone < body.script.posts.count {
        let at = body.startedAt + body.script.posts[body.postsDone].after.nanoseconds
        if at <= end(of: body) ?? .max {
          items.append(Item(due: Due(instant: at, kind: 0, place: body.sequence), action: .post(body: index)))
        }
      }
      if let at = readyTime(of: body), !body.isReady, body.toldToStopAt == nil, at <= end(of: body) ?? .max {
        items.append(Item(due: Due(instant: at, kind: 0, place: body.sequence, part: 1), action: .ready(body: index)))
      }
      if let at = end(of: body) {
        items.append(
          Item(due: Due(instant: at, kind: 0, place: body.sequence, part: 2), action: .bodyReturns(body: index)))
      }
      if let told = body.toldToStopAt, !body.isAbandoned {
        items.append(
          Item(due: Due(instant: told + Self.grace, kind: 7, place: body.sequence), action: .graceOver(body: index)))
      }
    }
    for (index, happening) in outside.enumerated() {
      let kind = if case .cancel = happening { 2 } else { 1 }
      items.append(Item(due: Due(instant: happening.at, kind: kind, place: index), action: .outside(index: index)))
    }
    for (index, state) in states.enumerated() where state.phase != .finished {
      switch index < steps.count && isFanOut(index) ? .running : state.phase {
      case .pausing(let until):
        items.append(Item(due: Due(instant: until, kind: 5, place: index), action: .pauseOver(step: index)))
      case .held(let until):
        items.append(Item(due: Due(instant: until, kind: 6, place: index), action: .minimumReached(step: index)))
      default: break
      }
      if state.phase == .running, let limit = options[index].retry?.attemptDeadline,
        let body = currentBody(of: index)
      {
        let at = bodies[body].startedAt + limit.nanoseconds
        items.append(Item(due: Due(instant: at, kind: 3, place: index), action: .attemptDeadline(step: index)))
      }
      if let start = state.startedAt, let max = options[index].deadline?.max,
        !isHeld(index) || (index < steps.count && isFanOut(index))
      {
        let at = start + max.nanoseconds
        items.append(Item(due: Due(instant: at, kind: 3, place: index, part: 1), action: .stepDeadline(step: index)))
      }
    }
    if let cleanupBeganAt, !isBudgetSpent {
      items.append(
        Item(due: Due(instant: cleanupBeganAt + Self.cleanupBudget, kind: 8, place: 0), action: .cleanupBudgetSpent))
    }
    if let mainLimit { items.append(Item(due: Due(instant: mainLimit, kind: 9, place: 0), action: .mainLimit)) }
    if let activatedAt, gate.outcome == nil {
      if let gateMin, !isMinimumReached {
        items.append(Item(due: Due(instant: activatedAt + gateMin, kind: 10, place: 0), action: .gateMinimum))
      }
      if let gateMax {
        items.append(Item(due: Due(instant: activatedAt + gateMax, kind: 10, place: 1), action: .gateMaximum))
      }
    }
    return items
  }

  mutating func handleTimers() {
    while let item = agenda.filter({ $0.due.isTimer && $0.due.instant == now }).min(by: { $0.due < $1.due }) {
      apply(item.action)
    }
  }

  mutating func apply(_ action: Action) {
    defer { noteCleanup() }
    switch action {
    case .post(let body):
      post(bodies[body].script.posts[bodies[body].postsDone].event)
      bodies[body].postsDone += 1
    case .ready(let body): reportReady(body)
    case .bodyReturns(let body): bodyReturns(body)
    case .outside(let index):
      switch outside.remove(at: index) {
      case .activation: if cancelledAt == nil { activate() }
      case .event(let name, _): post(name)
      case .finishPosting: break
      case .cancel: cancel()
      }
    case .attemptDeadline(let step):
      // *Decision*: an attempt that reaches `attempt-deadline` has failed at that instant and is asked to end. The
      // pause before the next attempt begins at once, whether or not its body has returned.
      tellToStop(currentBody(of: step)!)
      attemptFailed(step, isRetryable: true, outcome: "timed-out")
    case .stepDeadline(let step):
      // A step that reaches its own deadline has timed out at this instant, and its bodies are cancelled.
      if step < steps.count, isFanOut(step) {
        giveUpItems(of: step, "timed-out")
      } else {
        if let body = currentBody(of: step) { tellToStop(body) }
        finish(step, "timed-out")
      }
    case .pauseOver(let step):
      states[step].phase = .queued
      considerItems(of: owner(of: step))
    case .minimumReached(let step): finish(step, "success")
    case .graceOver(let body):
      // The body keeps its slot until it returns or its grace of 1 s has ended. Then it is abandoned, and the slot is
      // free.
      noteOverrun(of: bodies[body])
      bodies[body].isAbandoned = true
      states[bodies[body].step].isAbandoned = true
      considerItems(of: owner(of: bodies[body].step))
    case .mainLimit: endMainHold()
    case .cleanupBudgetSpent: spendCleanupBudget()
    case .gateMinimum: isMinimumReached = true
    case .gateMaximum: openGate("timed-out")
    }
  }

  /// Posts an event. For steps that wait for it, only the first post counts, whether the step began to wait before or
  /// after it. Each post of a repeating event has a number and a journal entry.
  mutating func post(_ event: String) {
    if events[event] == nil { events[event] = now }
    if scenario.workflow.events.contains(where: { $0.name == event && $0.repeats }) {
      posts[event, default: []].append(now)
      if cancelledAt == nil { addPosts(of: event) }
    }
  }

  // MARK: - The record

  var record: RunRecord {
    let origin = activatedAt ?? 0
    var record = RunRecord()
    record.conclusion = endedAt == nil ? nil : conclusion
    record.endedAt = endedAt.map { $0 - origin }
    record.gate = gate
    record.gate.openedAt = gate.openedAt.map { $0 - origin }
    record.gate.readyAt = gate.readyAt.map { $0 - origin }
    record.events = events.mapValues { $0 - origin }
    record.posts = posts.mapValues { $0.map { $0 - origin } }
    for (index, state) in states.enumerated().prefix(steps.count) {
      record.steps.append(
        RunRecord.StepRecord(
          id: steps[index].id.text, outcome: reportedOutcome(index), conclusion: stepConclusion(index),
          reason: state.reason,
          attempts: state.attempts, readyAt: state.readyAt.map { $0 - origin },
          startedAt: state.startedAt.map { $0 - origin }, endedAt: state.endedAt.map { $0 - origin },
          overrun: state.overrun, isAbandoned: state.isAbandoned, isDeferred: state.isDeferred,
          isBlocking: state.isBlocking, items: items(of: index, from: origin)))
    }
    return record
  }

  /// *Decision*: a service that failed after it was ready is reported as failed, but for its dependents it has
  /// succeeded.
  func reportedOutcome(_ step: Int) -> String? { states[step].hasFailedAfterReady ? "failure" : states[step].outcome }

  func hasFailed(_ step: Int) -> Bool { ["failure", "timed-out"].contains(reportedOutcome(step)) }

  /// Returns the outcome, except that the failure or timeout of an optional step counts as a success.
  func stepConclusion(_ step: Int) -> String? {
    hasFailed(step) && options[step].isOptional ? "success" : reportedOutcome(step)
  }

  /// The conclusion of the run: `success`, `partial` if an optional step or item failed or the gate timed out,
  /// `failure`, or `cancelled`, even if the gate had opened. *Decision*: if the gate opened as `failed`, the run is a
  /// failure, even if only an event was missing.
  var conclusion: String {
    if cancelledAt != nil { return "cancelled" }
    let failed = steps.indices.filter(hasFailed)
    if failed.contains(where: { !options[$0].isOptional }) || gate.outcome == "failed" { return "failure" }
    return failed.isEmpty && !hasOptionalItemFailed && gate.outcome != "timed-out" ? "success" : "partial"
  }
}
