import FlowModel

/// A cluster's accounting of one job, which ran one attempt of a step or of an item.
package struct JobAccount: Sendable, Hashable {
  /// The step.
  package var step: StepID
  /// The index of the item, or nil if the job ran the step itself.
  package var item: Int?
  /// The number of the attempt.
  package var attempt: Int
  /// The requested resources.
  package var requested: MachineResources
  /// The job in the cluster's notation, `1234` or `1234_17`, or nil if the accounting does not list it.
  package var job: String?
  /// The final state in the cluster's terms, such as `COMPLETED` or `OUT_OF_MEMORY`, or nil if unknown.
  package var state: String?
  /// The last reason for waiting or ending, in the cluster's terms.
  package var reason: String?
  /// The duration of its allocation.
  package var elapsedMilliseconds: Int?
  /// The processor time that it used.
  package var cpuMilliseconds: Int?
  /// The maximum memory of its processes together.
  package var memoryBytes: Int?

  /// Creates the account of a job without any accounting data.
  package init(step: StepID, item: Int?, attempt: Int, requested: MachineResources, job: String? = nil) {
    self.step = step
    self.item = item
    self.attempt = attempt
    self.requested = requested
    self.job = job
  }

  /// The account in a report; unknown values are omitted.
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
