import FlowEngine
import FlowExpressions
import FlowModel

/// A workflow prepared for many simulations: the expected duration of each step, and the plan just after the start,
/// which is the same in all runs.
package struct ForecastModel: Sendable {
  /// The workflow, and the inputs, launch and outputs that are known before the run.
  package let stage: RunStage
  package let options: ForecastOptions
  /// The conditions that read outputs, with the origin of the values that replace the outputs, which a forecast lacks.
  package private(set) var conditions: [DecidedCondition] = []
  /// Steps with `foreach` whose number of items is unknown; they are simulated with one item.
  package private(set) var stepsWithUnknownItems: [StepIndex] = []
  private(set) var predictions: [StepPrediction]
  private(set) var stepConditions: [StepIndex: StepCondition] = [:]
  /// The plan just after activation and start, at instant 0. Each simulation starts from a copy.
  let started: Plan
  let resolution: Resolution
  /// The slowness of the recorded runs as a whole, and the steps that depend on it.
  let common: CommonFactor
  /// The names of events from outside the run that were posted in the recorded runs. Empty if the options have events.
  let recordedEvents: [String]

  package var graph: WorkflowGraph { stage.prepared.graph }

  /// The simulated time after which a run that has not ended is stopped: 10,000 hours.
  static let limitNanoseconds = DurationText.longest.nanoseconds

  /// Creates a model from a prepared workflow, its estimates and the recorded runs.
  package init(_ stage: RunStage, _ options: ForecastOptions) {
    self.stage = stage
    self.options = options
    let names = options.events.isEmpty ? options.recordedRuns.flatMap(\.outsideEvents).map(\.event) : []
    recordedEvents = Set(names).sorted()
    var resolution = stage.resolution
    if options.ignoresMinimum { resolution.gate.minimumNanoseconds = 0 }
    self.resolution = resolution
    let seed = options.seed
    var plan = stage.plan(announcedEvents: options.events.count + recordedEvents.count) { step, attempt in
      Draw.unit(.pause, seed: seed, run: 0, step: step, attempt: attempt)
    }
    plan.apply(.activated(resolution), at: 0)
    plan.apply(.started(prewarm: false), at: 0)
    started = plan
    common = CommonFactor(options.recordedRuns, steps: stage.prepared.graph.workflow.steps.count) {
      plan[StepIndex($0)].isBlocking
    }
    predictions = []
    let steps = stage.prepared.graph.workflow.steps
    predictions.reserveCapacity(steps.count)
    for index in steps.indices { predictions.append(prediction(of: StepIndex(index))) }
    for index in steps.indices { noteCondition(of: StepIndex(index)) }
  }

  private mutating func prediction(of step: StepIndex) -> StepPrediction {
    let options = graph.workflow.steps[Int(step)].options
    var prediction = StepPrediction()
    prediction.slow = self.options.slow[step] ?? 1
    prediction.failureRate = self.options.failureRates[step] ?? 0
    prediction.isService = stage.isService(step)
    prediction.hasMaximum = options.deadline?.max != nil || options.retry?.attemptDeadline != nil
    prediction.posts = stage.postedEvents(of: step)
    prediction.runs = self.options.recordedRuns.indices.filter {
      self.options.recordedRuns[$0].steps[Int(step)]?.attemptTimes.isEmpty == false
    }.map { Int32($0) }
    // If a step runs once per post, the simulation determines the number of items.
    if let fanOut = options.fanOut, fanOut.event == nil {
      let known = self.options.itemCounts[step] ?? stage.itemCount(of: step, in: started)
      let recorded = self.options.recordedRuns.contains { $0.steps[Int(step)]?.itemCount != nil }
      if known == nil, !recorded { stepsWithUnknownItems.append(step) }
      prediction.itemCount = known ?? 1
    }
    if stage.isFrame(step) || resolution.disabled.contains(step) {
      prediction.source = .none
    } else if !prediction.runs.isEmpty {
      prediction.source = .recorded
    } else if let estimate = options.estimate {
      prediction.source = .estimate
      prediction.lowNanoseconds = estimate.low.nanoseconds
      prediction.spanNanoseconds = estimate.high.nanoseconds - estimate.low.nanoseconds
    }
    return prediction
  }

  package func source(of step: StepIndex) -> StepSource { predictions[Int(step)].source }

  private mutating func noteCondition(of step: StepIndex) {
    guard let condition = stage.condition(of: step) else { return }
    var noted = StepCondition(outcomes: [])
    var outputs: (assumed: Bool, unknown: Bool) = (false, false)
    for reference in condition.references {
      switch reference.name.lowercased() {
      case "steps":
        guard reference.path.count > 1, let other = stage.index(of: reference.path[0], seenFrom: step) else {
          noted.outcomes = nil
          if reference.path.isEmpty { outputs.unknown = true }
          continue
        }
        guard reference.path[1].lowercased() == "outputs" else {
          noted.outcomes?.append(other)
          continue
        }
        let name = "\(graph.workflow.steps[Int(other)].id.text).\(reference.path.dropFirst(2).first ?? "")".lowercased()
        if options.assumedOutputs.contains(name) { outputs.assumed = true } else { outputs.unknown = true }
      case "run", "event", "item", "index", "key": noted.outcomes = nil
      default: break
      }
    }
    // The key of a cached decision has room for the gate, the status functions and 18 outcomes. A condition that reads
    // more outcomes is evaluated each time.
    if noted.outcomes.map({ $0.count > 18 }) ?? false { noted.outcomes = nil }
    noted.readsUnknownOutputs = outputs.unknown
    stepConditions[step] = noted
    guard outputs.assumed || outputs.unknown, !resolution.disabled.contains(step) else { return }
    let isRecorded = outputs.unknown && options.recordedRuns.contains { $0.steps[Int(step)]?.condition != nil }
    conditions.append(
      DecidedCondition(
        step: step, text: condition.source, source: isRecorded ? .recorded : outputs.unknown ? .null : .assumed))
  }
}
