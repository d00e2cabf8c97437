import FlowModel

/// Which threads a queue's steps run on.
public enum Lane: Hashable, Sendable {
  /// The main thread.
  case main
  /// Slots of this quality of service.
  case slots(QualityOfService)
}

/// A queue as the plan counts it: who is ready, how many run, how many may.
struct PlanQueue: Sendable {
  let name: String
  let lane: Lane
  /// How many of its steps may run at once.
  let width: Int
  /// The places taken: running bodies, and bodies that were told to end and have not returned.
  var taken = 0
  /// Its steps by rank.
  var members: [StepIndex] = []
  /// Positions in `members` that are ready.
  var ready = ReadySet(capacity: 0)

  /// The queues every workflow has, in the order of their indices: `main`, then one for each quality of service.
  static let builtIn: [PlanQueue] =
    [PlanQueue(name: "main", lane: .main, width: 1)]
    + QualityOfService.allCases.map { PlanQueue(name: $0.rawValue, lane: .slots($0), width: .max) }
}
