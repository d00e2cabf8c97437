import FlowEngine
import FlowModel

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
    let isDeferred: Bool
    let isBlocking: Bool
    var state = State.waiting
    var queue = ""
    var startedAtNanoseconds: Int?
    var isLate = false
    var message = ""
  }

  private(set) var rows: [Row]
  private(set) var activatedAtNanoseconds: Int?
  private(set) var gate: (outcome: GateOutcome, atNanoseconds: Int)?
  private(set) var postedEvents: Set<String> = []
  private let indices: [StepID: Int]

  init(_ graph: WorkflowGraph) {
    let steps = graph.workflow.steps
    var isDeferred = [Bool](repeating: false, count: steps.count)
    for index in graph.topologicalOrder {
      let step = steps[Int(index)]
      isDeferred[Int(index)] =
        step.options.deferral != .never || step.needs.contains { isDeferred[Int($0)] }
    }
    rows = steps.enumerated().map { index, step in
      Row(
        id: step.id, name: step.options.name ?? step.id.text, needs: step.needs.map { Int($0) },
        after: step.options.after, isDeferred: isDeferred[index],
        isBlocking: step.options.blocking ?? !isDeferred[index])
    }
    indices = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.id, $0) })
  }

  mutating func apply(_ event: RunEvent) {
    switch event.kind {
    case .runActivated: activatedAtNanoseconds = event.atNanoseconds
    case .stepReady(let step): change(step) { $0.state = .ready }
    case .stepStarted(let step, _, let queue):
      change(step) {
        $0.state = .running
        $0.queue = queue
        if $0.startedAtNanoseconds == nil { $0.startedAtNanoseconds = event.atNanoseconds }
      }
    case .stepProgress(let step, let fraction, let message):
      change(step) { $0.message = "\(Int(fraction * 100)) % \(message)" }
    case .stepRetrying(let step, _, _, _): change(step) { $0.state = .retrying }
    case .stepFinished(let step, let finished): change(step) { $0.state = .done(finished) }
    case .gateLate(let step): change(step) { $0.isLate = true }
    case .gateOpened(let outcome): gate = (outcome, event.atNanoseconds)
    case .eventPosted(let name): postedEvents.insert(name)
    case .runStarted, .stepLog, .pluginLog, .warning, .runFinished: break
    }
  }

  /// What a waiting step waits for, in words.
  func waits(for row: Row) -> String {
    let needs = row.needs.filter { if case .done = rows[$0].state { false } else { true } }.map { rows[$0].id.text }
    let events = row.after.filter { !postedEvents.contains($0) }.map { "event \($0)" }
    let gate = row.isDeferred && gate == nil && needs.isEmpty ? ["the gate"] : []
    return (needs + events + gate).prefix(3).joined(separator: ", ")
  }

  private mutating func change(_ step: StepID, _ body: (inout Row) -> Void) {
    if let index = indices[step] { body(&rows[index]) }
  }
}
