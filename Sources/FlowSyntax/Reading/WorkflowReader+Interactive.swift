import FlowDiagnostics
import FlowModel

extension WorkflowReader {
  /// Returns the queue for steps that use the terminal. The first such step adds it to the workflow. Reports another
  /// queue that the step names.
  mutating func terminalQueue(_ stated: String?, _ location: StepLocation) -> String {
    if stated != nil, let member = tree.member(StepKey.queue.rawValue, of: location.value) {
      report(
        .conflictingKeys,
        "step '\(tree.keyName(location.key))' has the terminal and cannot have a 'queue', because such steps run one at a time",
        at: span(member.key), help: "remove 'queue'")
    }
    let name = QueueDeclaration.terminal
    if workflow.queues.last?.name != name {
      workflow.queues.append(QueueDeclaration(name: name, qualityOfService: .userInitiated, width: 1))
    }
    return name
  }
}

extension WorkflowCheck {
  /// True if the step uses the terminal and therefore has its queue.
  func isInteractive(_ step: Int) -> Bool {
    workflow.steps[step].hasOptions && workflow.steps[step].options.queue == QueueDeclaration.terminal
  }

  /// Checks interactive steps. They run in this process, one at a time, and their output is not captured.
  mutating func checkInteractive() {
    guard workflow.queues.last?.name == QueueDeclaration.terminal else { return }
    for step in workflow.steps.indices where isInteractive(step) && !isSettled {
      let options = workflow.steps[step].options
      if let fanOut = options.fanOut, fanOut.parallel != 1 {
        refuse(.foreach, step, "its items would have the terminal at once", "write 'parallel: 1' next to 'foreach'")
      }
      if options.retry != nil {
        refuse(.retry, step, "the person at the terminal has seen why it failed", "remove 'retry'")
      }
      if let executor = options.executor, executor != ExecutorAddress.local {
        refuse(.executor, step, "the terminal is here", "leave 'executor' out")
      }
      if options.isQuiet { refuse(.quiet, step, "its output is never recorded", "remove 'quiet'") }
      for key in [StepKey.mergeOutput, .outputLimit, .logLimit]
      where tree.hasMember(key.rawValue, locations.steps[step]) {
        refuse(key, step, "its output is not recorded", "remove '\(key.rawValue)'")
      }
      if let member = tree.member("service", of: locations.steps[step].value), tree.text(of: member.value) == "true" {
        report(
          .conflictingKeys, "step '\(name(step))' has the terminal and cannot be a service", at: tree.span(member.key),
          related: whyInteractive(step), help: "remove one of the two")
      }
    }
  }

  private mutating func refuse(_ key: StepKey, _ step: Int, _ reason: String, _ help: String) {
    report(
      .conflictingKeys, "step '\(name(step))' has the terminal and cannot have '\(key.rawValue)': \(reason)",
      at: tree.member(key.rawValue, of: locations.steps[step].value).map { tree.span($0.key) } ?? idSpan(step),
      related: whyInteractive(step), help: help)
  }

  /// Returns the location in the step or its `with` that makes it interactive.
  func whyInteractive(_ step: Int) -> [Diagnostic.RelatedLocation] {
    let place = node(.interactive, of: step) ?? node(.with, of: step)
    return place.map { [.init(tree.span($0), "it is interactive")] } ?? []
  }
}

extension NodeTree {
  fileprivate func hasMember(_ name: String, _ location: StepLocation) -> Bool {
    member(name, of: location.value) != nil
  }
}
