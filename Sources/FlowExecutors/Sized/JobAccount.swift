import FlowModel

/// What a cluster's accounting says of one job, which ran one attempt of a step or of an item.
package struct JobAccount: Sendable, Hashable {
  /// The step.
  package var step: StepID
  /// The index of the item; nil: it ran the step itself.
  package var item: Int?
  /// Which attempt it was.
  package var attempt: Int
  /// What was asked for.
  package var requested: MachineResources
  /// The job, as the cluster calls it: `1234`, `1234_17`; nil: the accounting does not know it.
  package var job: String?
  /// How it ended, in the cluster's word, such as `COMPLETED` or `OUT_OF_MEMORY`; nil: it is not known.
  package var state: String?
  /// Why it last waited or ended so, in the cluster's word.
  package var reason: String?
  /// How long it had its allocation.
  package var elapsedMilliseconds: Int?
  /// How much processor time it took.
  package var cpuMilliseconds: Int?
  /// The most memory that its processes held together.
  package var memoryBytes: Int?

  /// A job of which nothing is known yet.
  package init(step: StepID, item: Int?, attempt: Int, requested: MachineResources, job: String? = nil) {
    self.step = step
    self.item = item
    self.attempt = attempt
    self.requested = requested
    self.job = job
  }

  /// As a report has it: what is not known is left out.
  package var value: Value {
    var object: ValueObject = ["step": .string(step.text)]
    if let item { object["item"] = .integer(item) }
    object["attempt"] = .integer(attempt)
    object["requested"] = [
      "cpus": .integer(requested.cpus), "memoryBytes": .integer(requested.memoryBytes),
      "gpus": .integer(requested.gpus),
    ]
    for (name, text) in [("job", job), ("state", state), ("reason", reason)] {
      if let text { object[name] = .string(text) }
    }
    let numbers = [
      ("elapsedMilliseconds", elapsedMilliseconds), ("cpuMilliseconds", cpuMilliseconds), ("memoryBytes", memoryBytes),
    ]
    for (name, number) in numbers {
      if let number { object[name] = .integer(number) }
    }
    return .object(object)
  }
}
