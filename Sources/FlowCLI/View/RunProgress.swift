import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit

/// Where a run stands, as its events tell: what the terminal view draws.
struct RunProgress {
  enum State {
    case waiting, ready, running, retrying, done(RunEvent.FinishedStep)
  }

  struct Row {
    let id: StepID
    let name: String
    let needs: [Int]
    let after: [String]
    var isDeferred: Bool
    var isBlocking: Bool
    var state = State.waiting
    var queue = ""
    var startedAtNanoseconds: Int?
    var isLate = false
    var message = ""
    /// Of a step with items: how many of them are over, and how many run.
    var items = (ended: 0, running: 0)
    /// The last lines of what it prints.
    var tail: [String] = []
    /// The line that it has begun to print.
    var unfinished: (stream: LogStream, line: String)?

    /// What is shown of what it prints: the last lines, and the one that has no end yet.
    var printed: ArraySlice<String> {
      (tail + (unfinished.map { [$0.line] } ?? [])).suffix(ProgressTable.tailLines)
    }

    /// Whether it runs or waits for its next try.
    var isRunning: Bool {
      switch state {
      case .running, .retrying: true
      case .waiting, .ready, .done: false
      }
    }

    var isEnded: Bool {
      if case .done = state { true } else { false }
    }

    /// Whether it ended so that what needs it, the gate included, cannot go on.
    var isUnsatisfied: Bool {
      guard case .done(let finished) = state else { return false }
      switch finished.conclusion {
      case .success: return false
      case .skipped: return finished.reason == .upstreamFailed || finished.reason == .eventNeverPosted
      case .failure, .timedOut, .cancelled: return true
      }
    }
  }

  private let graph: WorkflowGraph
  private(set) var rows: [Row]
  private(set) var activatedAtNanoseconds: Int?
  private(set) var gate: (outcome: GateOutcome, atNanoseconds: Int)?
  private(set) var postedEvents: Set<String> = []
  /// Whether steps were stopped or left out because the run is being cancelled.
  private(set) var isCancelled = false
  /// The columns of the widest name.
  let widestName: Int
  private let indices: [StepID: Int]

  init(_ graph: WorkflowGraph) {
    self.graph = graph
    // What `defer` expressions say is known from activation on.
    let roles = GateRoles(graph, answers: [])
    rows = graph.workflow.steps.enumerated().map { index, step in
      Row(
        id: step.id, name: TerminalText.visible(step.displayName), needs: step.needs.map { Int($0) },
        after: step.options.after, isDeferred: roles.deferral(of: StepIndex(index)) == .always,
        isBlocking: roles.blocking(of: StepIndex(index)) == .always)
    }
    widestName = rows.reduce(8) { max($0, TerminalText.columns(of: $1.name)) }
    indices = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
  }

  mutating func apply(_ event: RunEvent) {
    if applyToItem(event) { return }
    switch event.kind {
    case .runActivated(_, let deferred):
      activatedAtNanoseconds = event.atNanoseconds
      if !deferred.isEmpty { takeIn(GateRoles(graph, answers: deferred)) }
    case .stepReady(let step): change(step) { $0.state = .ready }
    case .stepStarted(let step, _, let queue):
      change(step) {
        $0.state = .running
        $0.queue = queue
        if $0.startedAtNanoseconds == nil { $0.startedAtNanoseconds = event.atNanoseconds }
      }
    case .stepProgress(let step, let fraction, let message):
      change(step) { $0.message = "\(Int(fraction * 100)) % \(TerminalText.visible(message))" }
    case .stepAsked(let step, let question):
      change(step) { $0.message = "asks: \(TerminalText.visible(question.text))" }
    case .stepQuestionEnded(let step, _): change(step) { $0.message = "" }
    case .stepRetrying(let step, _, _, _): change(step) { $0.state = .retrying }
    case .stepFinished(let step, let finished):
      change(step) {
        $0.state = .done(finished)
        $0.tail = []
        $0.unfinished = nil
      }
      if finished.outcome == .cancelled || finished.reason == .runCancelled { isCancelled = true }
    case .gateLate(let step): change(step) { $0.isLate = true }
    case .gateOpened(let outcome): gate = (outcome, event.atNanoseconds)
    case .eventPosted(let name, _): postedEvents.insert(name)
    case .stepLog(let step, _, let stream?, let line):
      let line = TerminalText.commandLine(line, keepsColors: true)
      change(step) {
        $0.tail = ($0.tail + [line]).suffix(ProgressTable.tailLines)
        if $0.unfinished?.stream == stream { $0.unfinished = nil }
      }
    case .stepUnfinishedLine(let step, let stream, let line):
      let line = TerminalText.commandLine(line, keepsColors: true)
      change(step) { $0.unfinished = (stream, line) }
    case .runStarted, .stepLog, .pluginLog, .warning, .runFinished: break
    }
  }

  /// Counts what an item does with its step; false where the event is not about an item.
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
    // A body that was lost on its way to an executor never started.
    case .stepRetrying: rows[index].items.running = max(0, rows[index].items.running - 1)
    case .stepFinished(_, let finished):
      rows[index].items.ended += 1
      // One that ends between two tries is taken for one that ran: the next start of another corrects it.
      if finished.attempts > 0 { rows[index].items.running = max(0, rows[index].items.running - 1) }
    case .stepLog(_, _, _?, let line):
      let line = TerminalText.commandLine(line, keepsColors: true)
      rows[index].tail = (rows[index].tail + [line]).suffix(ProgressTable.tailLines)
    default: break
    }
    rows[index].message = "\(rows[index].items.ended) items done, \(rows[index].items.running) running"
    return true
  }

  private mutating func takeIn(_ roles: GateRoles) {
    for index in rows.indices {
      rows[index].isDeferred = roles.deferral(of: StepIndex(index)) == .always
      rows[index].isBlocking = roles.blocking(of: StepIndex(index)) == .always
    }
  }

  /// What a waiting step waits for, in words.
  func waits(for row: Row, isGated: Bool) -> String {
    let needs = row.needs.filter { if case .done = rows[$0].state { false } else { true } }.map { rows[$0].id.text }
    let events = row.after.filter { !postedEvents.contains($0) }.map { "event \(TerminalText.visible($0))" }
    let gate = row.isDeferred && gate == nil && needs.isEmpty ? [isGated ? "the gate" : "the blocking steps"] : []
    return (needs + events + gate).prefix(3).joined(separator: ", ")
  }

  private mutating func change(_ step: StepID, _ body: (inout Row) -> Void) {
    if let index = indices[step] { body(&rows[index]) }
  }
}
