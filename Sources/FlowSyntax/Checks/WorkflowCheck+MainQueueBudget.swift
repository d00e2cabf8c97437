import FlowDiagnostics
import FlowModel

extension WorkflowCheck {
  /// The maximum time that steps may take on the main thread before the first screen (L17). The content view must be
  /// created in this time.
  static let mainQueueBudget = Duration.milliseconds(500)

  /// Warns about steps on the main thread that delay the first screen (R8).
  ///
  /// Adds up the estimates of steps on `main`: those on which the step that posts `ui.ready` depends. If no step posts
  /// that event, adds up those for which the gate waits.
  mutating func checkMainQueueBudget() {
    let isOnMain = workflow.steps.indices.filter {
      workflow.steps[$0].hasOptions && workflow.steps[$0].options.queue == Queue.main && !isDisabled($0)
    }
    guard !isOnMain.isEmpty else { return }
    let before = stepsBeforeFirstScreen()
    let counted = isOnMain.compactMap { step -> (step: Int, time: Duration)? in
      guard before[step], let estimate = workflow.steps[step].options.estimate else { return nil }
      return (step, estimate.high)
    }
    let total = counted.reduce(Duration.zero) { $0 + $1.time }
    guard total > Self.mainQueueBudget, let longest = counted.max(by: { $0.time < $1.time }) else { return }
    report(
      .mainQueueBudget,
      "the steps on the main queue before the first screen may take \(DurationText.format(total)), "
        + "more than \(DurationText.format(Self.mainQueueBudget))",
      at: span(.estimate, of: longest.step),
      related: counted.filter { $0.step != longest.step }.prefix(8).map {
        .init(span(.estimate, of: $0.step), "'\(name($0.step))' is on it too")
      },
      help: "move work off the main queue, or after the first screen")
  }

  private func stepsBeforeFirstScreen() -> [Bool] {
    let screens = workflow.steps.indices.filter { eventsPosted(by: $0).contains(LifecycleEvent.uiReady.rawValue) }
    guard !screens.isEmpty else { return stepsBeforeGate() }
    var isBefore = [Bool](repeating: false, count: workflow.steps.count)
    for screen in screens { for need in workflow.steps[screen].needs { isBefore[Int(need)] = true } }
    for step in order.reversed().map(Int.init) where isBefore[step] {
      for need in workflow.steps[step].needs { isBefore[Int(need)] = true }
    }
    return isBefore
  }
}
