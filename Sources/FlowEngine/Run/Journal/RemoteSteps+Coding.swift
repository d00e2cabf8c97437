import FlowModel

// The journal records the executors of each process of a run, so that the report of a recorded run shows the queues of
// remote steps.
extension RemoteSteps {
  /// The executors as JSON. The steps of each are a list of ranges, with the first and the last step of each range.
  var value: Value {
    var steps: [[Value]] = Array(repeating: [], count: executors.count)
    var last: [StepIndex?] = Array(repeating: nil, count: executors.count)
    for (step, executor) in assignment.sorted(by: { $0.key < $1.key }) where steps.indices.contains(executor) {
      if last[executor] == step - 1 {
        steps[executor][steps[executor].count - 1] = .integer(Int(step))
      } else {
        steps[executor] += [.integer(Int(step)), .integer(Int(step))]
      }
      last[executor] = step
    }
    return .array(
      zip(executors, steps).map { executor, steps in
        [
          "name": .string(executor.name), "slots": .integer(executor.slots), "here": .boolean(executor.countsHere),
          "steps": .array(steps),
        ]
      })
  }

  /// Reads executors from their ``value``. Returns nil if the value is missing or invalid.
  init?(_ value: Value?) {
    guard let list = value?.arrayValue, !list.isEmpty else { return nil }
    self.init(executors: [], assignment: [:])
    for (index, executor) in list.enumerated() {
      guard let object = executor.objectValue, let name = object["name"]?.stringValue,
        let slots = object["slots"]?.integerValue, slots > 0, let here = object["here"]?.booleanValue,
        let bounds = object["steps"]?.arrayValue?.compactMap(\.integerValue), bounds.count.isMultiple(of: 2)
      else { return nil }
      executors.append(Executor(name: name, slots: slots, countsHere: here))
      for place in stride(from: 0, to: bounds.count, by: 2) {
        let (first, last) = (bounds[place], bounds[place + 1])
        guard first >= 0, first <= last, last < Limits.steps else { return nil }
        for step in first...last { assignment[StepIndex(step)] = index }
      }
    }
  }

  /// Returns the executors without steps beyond `stepCount`, or nil if no step is left.
  func within(stepCount: Int) -> RemoteSteps? {
    var within = self
    within.assignment = assignment.filter { Int($0.key) < stepCount }
    return within.assignment.isEmpty ? nil : within
  }
}
