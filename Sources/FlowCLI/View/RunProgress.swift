import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit

/// The state of a run according to its events, for the live view.
///
/// Each event updates the counts and the list of running steps, so drawing a large run takes no longer than drawing a
/// small one.
struct RunProgress {
  enum State {
    case waiting, running, retrying, finished
  }

  struct Row {
    let id: StepID
    let name: String
    var isBlocking: Bool
    var state = State.waiting
    var queue = ""
    var startedAtNanoseconds: Int?
    var isLate = false
    var message = ""
    /// The numbers of items that have finished, that are running, and that have failed.
    var items = (finished: 0, running: 0, failed: 0)
    /// The total number of items, or nil if it is unknown.
    var itemTotal: Int?
    /// The maximum number of attempts, or nil if the step is not retried.
    var attempts: Int?
    /// The failure of the last attempt and the time of the next one. Empty if no retry is pending.
    var retry = ""
    /// True if this is the entry or exit of an included file, which is not counted as a step.
    var isFrame = false
    /// The last line that the step has printed, if it has no line break so far.
    var unfinished: (stream: LogStream, line: String)?

    /// The text at the end of the step's line: its progress message or its unfinished line.
    var remark: String { message.isEmpty ? unfinished?.line ?? "" : message }

    /// True if the step is running or waits for another attempt.
    var isRunning: Bool { state == .running || state == .retrying }
  }

  /// The number of steps with each outcome.
  struct Counts: Equatable {
    var succeeded = 0
    var failed = 0
    var cancelled = 0
    var skipped = 0
    /// The number of steps that are not selected.
    var leftOut = 0

    var finished: Int { succeeded + failed + cancelled + skipped }
  }

  private let graph: WorkflowGraph
  private(set) var rows: [Row]
  /// The indices of the running steps, in the order of their starts.
  private(set) var running: [Int] = []
  /// The indices of the services that are ready, in file order.
  private(set) var serving: [Int] = []
  /// True if only services keep the run alive.
  private(set) var isKeeping = false
  private(set) var counts = Counts()
  /// The number of steps for which the gate still waits.
  private(set) var openBlockingCount = 0
  /// True if the gate cannot open because of the outcome of a blocking step.
  private(set) var isGateFailed = false
  private(set) var activatedAtNanoseconds: Int?
  private(set) var gate: (outcome: GateOutcome, atNanoseconds: Int)?
  /// True if steps have been stopped or skipped because the run is being cancelled.
  private(set) var isCancelled = false
  /// The number of columns of the longest step name.
  let widestName: Int
  private let indices: [StepID: Int]
  /// The number of rows that are entries or exits of included files.
  private var frameCount = 0
  private let includes: IncludedFiles

  /// Creates the state before the first event. `finished` are the steps that a resumed run keeps from an earlier
  /// process.
  init(_ graph: WorkflowGraph, finished: Set<StepIndex> = []) {
    self.graph = graph
    includes = IncludedFiles(graph.workflow)
    // Before the activation, the value of a `defer` expression is unknown.
    let roles = GateRoles(graph, answers: [])
    rows = graph.workflow.steps.enumerated().map { index, step in
      Row(
        id: step.id, name: TerminalText.visible(step.displayName),
        isBlocking: roles.isBlocking(StepIndex(index)))
    }
    for (index, step) in graph.workflow.steps.enumerated() where step.stated.contains(.fanOut) {
      rows[index].itemTotal = step.options.fanOut?.literalCount
    }
    for (index, step) in graph.workflow.steps.enumerated() where step.hasOptions {
      rows[index].attempts = step.options.retry?.attempts
    }
    widestName = rows.reduce(8) { max($0, TerminalText.columns(of: $1.name)) }
    indices = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
    for scope in graph.workflow.scopes {
      for step in [scope.entry, scope.exit] {
        rows[Int(step)].isFrame = true
        frameCount += 1
      }
    }
    for step in finished { rows[Int(step)].state = .finished }
    counts.succeeded = finished.count { !rows[Int($0)].isFrame }
    openBlockingCount = rows.count { $0.isBlocking && $0.state != .finished }
  }

  /// The number of steps that are counted: all except those that are not selected and the entries and exits of included
  /// files.
  var stepCount: Int { rows.count - frameCount - counts.leftOut }

  /// The number of running steps that are counted, without entries and exits of included files.
  var runningStepCount: Int { frameCount == 0 ? running.count : running.count { !rows[$0].isFrame } }

  /// The sum of the finished shares of the running steps. A step's share is the number of its finished items divided by
  /// the number of its items, at most 1. It is 0 if the number of items is 0 or unknown.
  var runningShare: Double {
    running.reduce(0) { share, index in
      let row = rows[index]
      guard let total = row.itemTotal, total > 0 else { return share }
      return share + min(1, Double(row.items.finished) / Double(total))
    }
  }

  /// Returns the start and the number of steps of the included file whose exit is `step`, or nil if `step` is not an
  /// exit.
  func included(endingIn step: StepID) -> (startedAtNanoseconds: Int?, stepCount: Int)? {
    guard let count = includes.stepCount(endingIn: step) else { return nil }
    let entry = graph.workflow.scopes.first { graph.workflow.steps[Int($0.exit)].id == step }?.entry
    return (entry.flatMap { rows[Int($0)].startedAtNanoseconds }, count)
  }

  /// Returns the number of a step's finished items, or nil if none have finished.
  func itemCount(of step: StepID) -> Int? {
    guard let index = indices[step], rows[index].items.finished > 0 else { return nil }
    return rows[index].items.finished
  }

  mutating func note(serving steps: [StepIndex], isKeeping: Bool) {
    serving = steps.map { Int($0) }
    self.isKeeping = isKeeping
  }

  mutating func note(itemTotals: [StepIndex: Int]) {
    for (step, count) in itemTotals { rows[Int(step)].itemTotal = count }
  }

  /// True if items of a running step are known but their total number is not.
  var awaitsItemTotals: Bool { running.contains { rows[$0].items != (0, 0, 0) && rows[$0].itemTotal == nil } }

  /// True if the workflow has a step with this id. Items do not count as steps.
  func has(_ step: StepID) -> Bool { indices[step] != nil }

  mutating func apply(_ event: RunEvent) {
    if applyToItem(event) { return }
    switch event.kind {
    case .runActivated(_, let deferred):
      activatedAtNanoseconds = event.atNanoseconds
      if !deferred.isEmpty { takeIn(GateRoles(graph, answers: FlowModel.StepList(deferred))) }
    case .stepStarted(let step, _, let queue):
      change(step, to: .running) {
        $0.queue = queue
        if $0.startedAtNanoseconds == nil { $0.startedAtNanoseconds = event.atNanoseconds }
      }
    case .stepProgress(let step, let fraction, let message):
      change(step) { $0.message = "\(Int(fraction * 100)) % \(TerminalText.commandLine(message))" }
    case .stepAsked(let step, let question):
      change(step) { $0.message = "asks: \(TerminalText.commandLine(question.text))" }
    case .stepQuestionEnded(let step, _): change(step) { $0.message = "" }
    case .stepRetrying(let step, let attempt, let delay, let failure):
      change(step, to: .retrying) { $0.retry = Self.retry(attempt, of: $0.attempts, delay, failure) }
    case .stepFinished(let step, let finished): finish(step, finished)
    case .gateLate(let step): change(step) { $0.isLate = true }
    case .gateOpened(let outcome): gate = (outcome, event.atNanoseconds)
    case .stepLog(let step, _, let stream?, _):
      change(step) { if $0.unfinished?.stream == stream { $0.unfinished = nil } }
    case .stepUnfinishedLine(let step, let stream, let line):
      let line = TerminalText.commandLine(line, keepsColors: true)
      change(step) { $0.unfinished = (stream, line) }
    case .runStarted, .stepReady, .stepLog, .stepItems, .pluginLog, .eventPosted, .warning, .runFinished: break
    }
  }

  static func retry(
    _ attempt: Int, of attempts: Int? = nil, _ delayMilliseconds: Double, _ failure: StepFailure?
  ) -> String {
    let text = FailureText(failure)
    let (number, cause) = (attempts.map { "\(attempt) of \($0)" } ?? "\(attempt)", text.cause)
    return "attempt \(number) failed\(cause.isEmpty ? "" : " (\(cause))"), again in "
      + Milliseconds.text(delayMilliseconds) + (text.lastLine.map { "  \($0)" } ?? "")
  }

  private mutating func finish(_ step: StepID, _ finished: RunEvent.FinishedStep) {
    if finished.outcome == .cancelled || finished.reason == .runCancelled { isCancelled = true }
    guard let index = indices[step] else { return }
    change(step, to: .finished) { $0.unfinished = nil }
    // If an included file itself fails, count it as a step, because none of its steps counts as failed.
    if rows[index].isFrame, finished.isFailed, finished.failure.map({ $0.code != "include-failed" }) ?? false {
      rows[index].isFrame = false
      frameCount -= 1
    }
    let isCounted = !rows[index].isFrame || finished.reason == .notSelected
    if rows[index].isBlocking {
      openBlockingCount -= 1
      if finished.leavesUnsatisfied { isGateFailed = true }
    }
    switch finished.outcome {
    case _ where !isCounted: break
    case .success: counts.succeeded += 1
    case .failure, .timedOut: counts.failed += 1
    case .cancelled: counts.cancelled += 1
    case .skipped where finished.reason == .notSelected: if !rows[index].isFrame { counts.leftOut += 1 }
    case .skipped: counts.skipped += 1
    }
  }

  /// Updates the counts of a step if the event concerns one of its items. Returns false if it does not.
  private mutating func applyToItem(_ event: RunEvent) -> Bool {
    let id: StepID
    switch event.kind {
    case .stepStarted(let step, _, _), .stepRetrying(let step, _, _, _), .stepFinished(let step, _),
      .stepLog(let step, _, _, _), .stepUnfinishedLine(let step, _, _), .stepProgress(let step, _, _):
      id = step
    default: return false
    }
    guard indices[id] == nil, let (owner, _) = id.item, let index = indices[owner] else { return false }
    switch event.kind {
    case .stepStarted: rows[index].items.running += 1
    // An executor has lost the attempt before starting it.
    case .stepRetrying: rows[index].items.running = max(0, rows[index].items.running - 1)
    case .stepFinished(_, let finished):
      rows[index].items.finished += 1
      if finished.isFailed { rows[index].items.failed += 1 }
      // An item that ends between two attempts is counted as running until then. The next start of another item
      // corrects the count.
      if finished.attempts > 0 { rows[index].items.running = max(0, rows[index].items.running - 1) }
    default: break
    }
    return true
  }

  private mutating func takeIn(_ roles: GateRoles) {
    for index in rows.indices { rows[index].isBlocking = roles.isBlocking(StepIndex(index)) }
    openBlockingCount = rows.count { $0.isBlocking && $0.state != .finished }
  }

  private mutating func change(_ step: StepID, to state: State? = nil, _ body: (inout Row) -> Void = { _ in }) {
    guard let index = indices[step] else { return }
    if let state {
      let wasRunning = rows[index].isRunning
      rows[index].state = state
      if wasRunning, !rows[index].isRunning { running.removeAll { $0 == index } }
      if !wasRunning, rows[index].isRunning { running.append(index) }
    }
    body(&rows[index])
  }
}

extension RunEvent.FinishedStep {
  /// True if this outcome of the step blocks its dependents and the gate.
  fileprivate var leavesUnsatisfied: Bool {
    switch conclusion {
    case .success: false
    case .skipped: reason == .upstreamFailed || reason == .eventNeverPosted
    case .failure, .timedOut, .cancelled: true
    }
  }

  /// True if the step failed or timed out, even if it is `optional`.
  var isFailed: Bool { outcome == .failure || outcome == .timedOut }
}
