import FlowEngine
import FlowModel

/// The environment of a forecast's simulated runs, one run at a time.
struct ForecastWorld: RunWorld {
  private let model: ForecastModel
  private let predictions: [StepPrediction]
  private let seed: UInt64
  private var run = 0
  /// The slowness of the device in the current run, from 0 to 1.
  private var device = 0.0
  /// The recorded run that the current run is based on. If `isWhole`, all of its steps are drawn from that run.
  private var base = 0
  private var isWhole = true
  /// Each step's wait for a thread in this run. The simulated plan has unlimited threads, so the wait is added to the
  /// body, but it does not count toward the step's duration.
  private(set) var waits: [Int]
  /// The earlier decisions of conditions, by step and by the values that they depend on.
  private var answers: [StepIndex: [UInt64: Decision]] = [:]

  init(_ model: ForecastModel) {
    self.model = model
    predictions = model.predictions
    waits = Array(repeating: 0, count: model.predictions.count)
    seed = model.options.seed
  }

  mutating func begin(_ run: Int) {
    self.run = run
    for step in waits.indices { waits[step] = 0 }
    device = Draw.unit(.device, seed: seed, run: run)
    guard !model.options.recordedRuns.isEmpty else { return }
    base = Draw.index(below: model.options.recordedRuns.count, .run, seed: seed, run: run)
    isWhole = Draw.unit(.whole, seed: seed, run: run) < model.options.correlation
  }

  /// Returns the instant at which an event from outside the run was posted in the recorded run, or nil if it was not.
  func timeOfRecordedEvent(_ name: String) -> Int? {
    model.options.recordedRuns[base].outsideEvents.first { $0.event == name }?.afterNanoseconds
  }

  mutating func body(of step: StepIndex, attempt: Int, in plan: Plan) -> RunBody {
    let index = Int(step) < predictions.count ? Int(step) : Int(plan.owner(of: step))
    let prediction = predictions[index]
    if prediction.source == .recorded {
      let item = Int(step) < predictions.count ? nil : plan.position(ofItem: step)?.item
      return recordedBody(of: step, StepIndex(index), item, attempt, prediction)
    }
    var nanoseconds = 0
    if prediction.source == .estimate {
      nanoseconds = prediction.lowNanoseconds
      if prediction.spanNanoseconds > 0 {
        let noise = 0.9 + 0.2 * Draw.unit(.noise, seed: seed, run: run, step: step, attempt: attempt)
        let middle = (Double(nanoseconds) + Double(prediction.spanNanoseconds) * device) * noise
        nanoseconds = min(max(Int(middle), nanoseconds), nanoseconds + prediction.spanNanoseconds)
      }
    }
    return body(nanoseconds, fails: false, step, attempt, prediction)
  }

  private mutating func recordedBody(
    of step: StepIndex, _ owner: StepIndex, _ item: Int?, _ attempt: Int, _ prediction: StepPrediction
  ) -> RunBody {
    let (recorded, run) = self.recorded(owner)
    if let item, !recorded.itemNanoseconds.isEmpty {
      let times = recorded.itemNanoseconds
      return body(times[item % times.count], fails: false, step, attempt, prediction)
    }
    let number = min(attempt, recorded.attemptTimes.count) - 1
    let measured = recorded.attemptTimes[number].nanoseconds
    // A step with a maximum gets no wait: the maximum counts from the start of the body, which a wait added to the body
    // would shift.
    let recordedWait = attempt == 1 && item == nil && !prediction.hasMaximum ? recorded.waitNanoseconds : 0
    // A time from another run is converted to the slowness of this run, including the wait.
    let whole =
      run == base || !recorded.attemptTimes[number].isSuccess
      ? measured + recordedWait
      : model.common.nanoseconds(measured + recordedWait, of: Int(owner), in: run, asIn: base)
    let wait =
      recordedWait == 0 ? 0 : Int(Double(whole) * Double(recordedWait) / Double(measured + recordedWait))
    let nanoseconds = whole - wait
    if Int(step) < waits.count { waits[Int(step)] = wait }
    let fails = !recorded.attemptTimes[number].isSuccess && prediction.failureRate == 0
    var body = body(nanoseconds, fails: fails, step, attempt, prediction)
    // The recorded body ended only because the step's maximum was reached. In the simulation, the plan enforces the
    // maximum.
    if recorded.isTimedOut, prediction.hasMaximum, number == recorded.attemptTimes.count - 1, fails {
      body.endsAfterNanoseconds = nil
    }
    if recorded.knowsPosts {
      let length = Double(max(1, nanoseconds))
      let now = Double(body.endsAfterNanoseconds ?? body.readyAfterNanoseconds ?? nanoseconds)
      body.posts = recorded.posts.map {
        RunPost(
          afterNanoseconds: Int(now * min(1, Double($0.afterNanoseconds) / length)), event: $0.event)
      }
    }
    return body.delayed(by: wait)
  }

  /// Returns a recorded run's measurements of a step, and the index of that run. If all steps are drawn from the base
  /// run and the step ran in it, that run is used. Otherwise, one of the runs in which the step ran is drawn.
  private func recorded(_ step: StepIndex) -> (RecordedRun.Step, run: Int) {
    let runs = model.options.recordedRuns
    if isWhole, let measured = runs[base].steps[Int(step)], !measured.attemptTimes.isEmpty { return (measured, base) }
    let able = predictions[Int(step)].runs
    let drawn = Int(able[Draw.index(below: able.count, .run, seed: seed, run: run, step: step &+ 1)])
    return (runs[drawn].steps[Int(step)] ?? RecordedRun.Step(), drawn)
  }

  private func body(
    _ nanoseconds: Int, fails: Bool, _ step: StepIndex, _ attempt: Int, _ prediction: StepPrediction
  ) -> RunBody {
    let scaled = prediction.slow == 1 ? nanoseconds : Int(min(Double(nanoseconds) * prediction.slow, Self.longest))
    var fails = fails
    if prediction.failureRate > 0 {
      fails =
        Draw.unit(.failure, seed: seed, run: run, step: step, attempt: attempt) < prediction.failureRate
    }
    var body = RunBody(endsAfterNanoseconds: scaled)
    if fails {
      body.ending = Self.failure
    } else if prediction.isService {
      body.endsAfterNanoseconds = nil
      body.readyAfterNanoseconds = scaled
    }
    if !fails, !prediction.posts.isEmpty {
      body.posts = prediction.posts.map { RunPost(afterNanoseconds: scaled, event: $0) }
    }
    return body
  }

  private static let longest = Double(DurationText.longest.nanoseconds)
  private static let failure = Ending.failure(
    StepFailure(code: "forecast", message: "it fails in this run"), isRetryable: true)

  func nanosecondsToEnd(_ step: StepIndex, attempt: Int, in plan: Plan) -> Int? { 0 }

  func items(of step: StepIndex, in plan: Plan) -> Expansion {
    let measured =
      model.options.recordedRuns.isEmpty ? nil : model.options.recordedRuns[base].steps[Int(step)]?.itemCount
    let stated = model.options.itemCounts[step]
    return .items(FanOutItems(count: stated ?? measured ?? predictions[Int(step)].itemCount))
  }

  mutating func decide(_ step: StepIndex, in plan: Plan) -> Decision {
    guard let condition = model.stepConditions[step] else { return .run }
    if condition.readsUnknownOutputs, !model.options.recordedRuns.isEmpty,
      let holds = model.options.recordedRuns[base].steps[Int(step)]?.condition
    {
      return holds ? .run : .skip
    }
    guard let outcomes = condition.outcomes else { return model.stage.decide(step, in: plan) }
    let gate = plan.gateInstants.outcome.map { $0.rawValue + 1 } ?? 0
    var key = UInt64(plan.status(of: step).rawValue) << 3 | UInt64(gate)
    for other in outcomes { key = key << 3 | UInt64(plan.instants(of: other).outcome.map { $0.rawValue + 1 } ?? 0) }
    if let answer = answers[step]?[key] { return answer }
    let answer = model.stage.decide(step, in: plan)
    answers[step, default: [:]][key] = answer
    return answer
  }
}

extension RunBody {
  fileprivate func delayed(by nanoseconds: Int) -> RunBody {
    if nanoseconds == 0 { return self }
    var body = self
    body.endsAfterNanoseconds = endsAfterNanoseconds.map { $0 + nanoseconds }
    body.readyAfterNanoseconds = readyAfterNanoseconds.map { $0 + nanoseconds }
    for post in posts.indices { body.posts[post].afterNanoseconds += nanoseconds }
    return body
  }
}
