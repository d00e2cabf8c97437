import FlowModel
import FlowStore

/// What a resume keeps, what it runs again, and why.
public struct ResumePlan: Sendable {
  /// What becomes of a step.
  public enum Fate: Sendable, Hashable {
    /// It ended well, and stays as it is.
    case kept
    case again(Reason)
    /// A try of it was interrupted, and it says that it must not run twice by itself.
    case failed
  }

  /// Why a step runs again.
  public enum Reason: Sendable, Hashable {
    /// It had not ended.
    case unfinished
    /// It had ended so.
    case ended(Outcome)
    /// It needs a step that runs again.
    case needs(StepIndex)
    /// It was named.
    case chosen
    /// It is another than it was.
    case changed
    /// It is not in the journal.
    case new
    /// What it did is gone with its process, and a step that runs again needs it.
    case gone
    /// It stands in `finally`.
    case final

    /// The reason in a few words; `name` says what a step is called.
    public func text(_ name: (StepIndex) -> String) -> String {
      switch self {
      case .unfinished: "it had not ended"
      case .ended(let outcome): "it had ended: \(outcome.word)"
      case .needs(let step): "it needs '\(name(step))'"
      case .chosen: "--from names it"
      case .changed: "it has changed"
      case .new: "it is new"
      case .gone: "what it did is gone with the process"
      case .final: "it runs at the end of every run"
      }
    }
  }

  /// What is asked for.
  public struct Wish: Sendable {
    /// Steps to begin again from.
    public var from: [StepIndex] = []
    /// What becomes of kept steps that are others than they were.
    public var changes = Changes.refuse

    /// The usual: what did not end well runs again.
    public init() {}
  }

  /// What becomes of steps that are others than they were.
  public enum Changes: Sendable, Hashable {
    case refuse, keep, rerun
  }

  /// Why a run cannot go on.
  public enum Refusal: Error, Sendable, Hashable {
    /// These steps ended well and are others than they were.
    case changed([StepIndex])
    /// It was prewarmed and never activated.
    case neverActivated
  }

  /// What the journal says.
  let recollection: RunRecollection
  /// What becomes of each step, in file order.
  public private(set) var fates: [Fate]
  /// The facts that stay, by the steps of the file as it is now.
  private(set) var facts: [PlanFact] = []
  private(set) var outputs: [StepIndex: ValueObject] = [:]
  /// How often a success of a step was given up.
  private(set) var repetitions: [StepIndex: Int] = [:]

  /// What the run was begun with.
  public var header: RunHeader { recollection.header }

  /// Whether nothing is left to do.
  public var isDone: Bool { fates.allSatisfy { $0 == .kept || $0 == .failed || $0 == .again(.final) } }

  /// Works out how a run of `before` goes on as `prepared`.
  public init(
    _ recollection: RunRecollection, of before: WorkflowGraph, as prepared: PreparedWorkflow, _ wish: Wish
  ) throws(Refusal) {
    self.recollection = recollection
    let graph = prepared.graph
    let pasts = StepPasts(recollection.facts, count: before.workflow.steps.count)
    let places = StepMapping(from: before, to: graph)
    var fates = [Fate](repeating: .again(.new), count: graph.workflow.steps.count)
    var changed: [StepIndex] = []
    for (old, past) in pasts.steps.enumerated() {
      guard let new = places[StepIndex(old)] else { continue }
      fates[Int(new)] = past.fate(isOptional: before.workflow.steps[old].options.isOptional)
      if past.stopsAtInterrupt, graph.workflow.steps[Int(new)].options.onInterrupt == .fail {
        fates[Int(new)] = .failed
      }
      guard fates[Int(new)] == .kept else { continue }
      let isSame = StepDefinition(before, StepIndex(old)) == StepDefinition(graph, new)
      if !isSame, wish.changes == .rerun { fates[Int(new)] = .again(.changed) }
      if !isSame, wish.changes == .refuse { changed.append(new) }
    }
    for step in graph.stepsWithOptions where graph.workflow.steps[Int(step)].options.isFinal {
      fates[Int(step)] = .again(.final)
    }
    for step in wish.from { fates[Int(step)] = .again(.chosen) }
    Self.spread(&fates, prepared)
    changed.removeAll { fates[Int($0)] != .kept }
    guard changed.isEmpty else { throw .changed(changed) }
    self.fates = fates
    guard pasts.isActivated else { throw .neverActivated }
    keepFacts(pasts, places)
  }

  /// What needs a step that runs again runs again; and of what it needs in turn, whatever is gone with the process.
  private static func spread(_ fates: inout [Fate], _ prepared: PreparedWorkflow) {
    let graph = prepared.graph
    for step in graph.topologicalOrder where fates[Int(step)] == .kept {
      if let need = graph.workflow.steps[Int(step)].needs.first(where: { fates[Int($0)] != .kept }) {
        fates[Int(step)] = .again(.needs(need))
      }
    }
    var isNeeded = [Bool](repeating: false, count: fates.count)
    for step in graph.topologicalOrder.reversed() {
      if fates[Int(step)] == .kept, isNeeded[Int(step)], prepared.action(of: step).declaration.actsOnProcess {
        fates[Int(step)] = .again(.gone)
      }
      guard fates[Int(step)] != .kept && fates[Int(step)] != .failed || isNeeded[Int(step)] else { continue }
      // What is at the end needs all steps to be over, and live handles only where its action says so.
      if fates[Int(step)] == .again(.final), prepared.action(of: step).declaration.requires.isEmpty { continue }
      for need in graph.workflow.steps[Int(step)].needs { isNeeded[Int(need)] = true }
    }
  }

  /// The facts that stay, in order: those of kept steps, of the launch, of events, of a gate that opened for good.
  private mutating func keepFacts(_ pasts: StepPasts, _ places: StepMapping) {
    for (old, past) in pasts.steps.enumerated() {
      guard let new = places[StepIndex(old)] else { continue }
      let isKept = fates[Int(new)] == .kept
      let carried = past.carried(isKept: isKept)
      if carried.repetitions > 0 { repetitions[new] = carried.repetitions }
      if carried.repetitions > 0 || (!isKept && carried.attempts > 0) {
        facts.append(
          .carried(
            new, attempts: carried.attempts, uncounted: carried.uncounted, repetitions: carried.repetitions))
      }
      if isKept, let output = recollection.outputs[StepIndex(old)] { outputs[new] = output }
    }
    for fact in recollection.facts {
      switch fact {
      case .activated(let resolution, let time):
        var mapped = resolution
        mapped.disabled = Set(resolution.disabled.compactMap { places[$0] })
        mapped.deferred = Set(resolution.deferred.compactMap { places[$0] })
        facts.append(.activated(mapped, atNanoseconds: time))
      case .settled(var settled, let failure):
        guard let new = places[settled.step], fates[Int(new)] == .kept,
          pasts.steps[Int(settled.step)].settled == settled
        else { continue }
        settled.step = new
        facts.append(.settled(settled, failure))
      case .posted: facts.append(fact)
      case .gateOpened(let opened): if opened.outcome != .failed { facts.append(fact) }
      case .tried, .started, .failedAfterReady, .cancelled, .carried: break
      }
    }
    for (index, fate) in fates.enumerated() where fate == .failed {
      facts.append(
        .settled(
          SettledStep(
            step: StepIndex(index), attempts: 1, outcome: .failure, readyAt: never, startedAt: never,
            endedAt: recollection.lastNanoseconds),
          StepFailure(
            code: "interrupted",
            message: "its process ended while it ran, and 'on-interrupt: fail' keeps it from running again")))
    }
  }

  /// The chunk with which the resumed run begins its journal anew.
  func chunk(atNanoseconds now: Int) -> RunChunk {
    var writer = FactWriter()
    for fact in facts { writer.add(fact) }
    for (step, output) in outputs.sorted(by: { $0.key < $1.key }) { writer.add(output: output, of: step) }
    return RunChunk(
      .resume, wallMilliseconds: RunJournal.wallMilliseconds, runNanoseconds: now, body: writer.bytes)
  }
}

/// Where the steps of a file stand in another, by their ids.
private struct StepMapping {
  private var places: [StepIndex?]

  init(from before: WorkflowGraph, to graph: WorkflowGraph) {
    var indices: [String: StepIndex] = [:]
    for (index, step) in graph.workflow.steps.enumerated() { indices[step.id.text] = StepIndex(index) }
    places = before.workflow.steps.map { indices[$0.id.text] }
  }

  subscript(step: StepIndex) -> StepIndex? { places[Int(step)] }
}

/// What of a step decides what it does; a step for which any of it is another is another step.
private struct StepDefinition: Equatable {
  var uses: String
  var with: ValueObject
  var needs: Set<String>
  var condition: String?
  var environment: ValueObject
  var after: Set<String>
  var enabled: Switch

  init(_ graph: WorkflowGraph, _ index: StepIndex) {
    let step = graph.workflow.steps[Int(index)]
    uses = step.uses
    with = step.with
    needs = Set(step.needs.map { graph.workflow.steps[Int($0)].id.text })
    condition = step.options.condition
    environment = step.options.environment
    after = Set(step.options.after)
    enabled = step.options.enabled
  }
}
