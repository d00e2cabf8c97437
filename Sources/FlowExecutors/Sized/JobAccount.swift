import FlowModel

/// The accounting data of a job that ran one attempt of a step or item.
package struct JobAccount: Sendable, Hashable {
  package var step: StepID
  /// The index of the item, or nil if the job ran a step without items.
  package var item: Int?
  package var attempt: Int
  package var requested: MachineResources
  /// The job number in the cluster's notation, `1234` or `1234_17`, or nil if it is unknown.
  package var job: String?
  /// The final state as reported by the cluster, such as `COMPLETED` or `OUT_OF_MEMORY`, or nil if it is unknown.
  package var state: String?
  /// The reason why the job waited or ended, as reported by the cluster.
  package var reason: String?
  /// The time for which the job's resources were allocated.
  package var elapsedMilliseconds: Int?
  /// The processor time used by the job.
  package var cpuMilliseconds: Int?
  /// The maximum memory used by all processes of the job together.
  package var memoryBytes: Int?

  /// Creates an account of a job about which the cluster has not reported anything.
  package init(step: StepID, item: Int?, attempt: Int, requested: MachineResources, job: String? = nil) {
    self.step = step
    self.item = item
    self.attempt = attempt
    self.requested = requested
    self.job = job
  }

  /// The account in the format of reports. Unknown values are omitted.
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
