import Dispatch
import FlowModel
import FlowPluginKit

/// What changes while a run goes on; one lock guards all of it.
struct RunState {
  private(set) var latestNanoseconds = 0
  var plan: Plan
  /// The slots of each lane, by the lane's index.
  var pools: [SlotPool]
  /// What steps gave back, but for those that gave nothing.
  var outputs: [StepIndex: ValueObject] = [:]
  var launch: Launch
  var environment: ValueObject = [:]
  /// The instant for which the plan's timer is set.
  var timerAt: Int?
  var gateFloorNanoseconds = 0
  var gateCeilingNanoseconds: Int?
  var postedCount = 0
  var tasks: [TaskKey: Task<Void, Never>] = [:]
  var warnings: [String] = []
  var report: RunReport?
  var endWaiters: [@Sendable (RunReport) -> Void] = []

  // What observers have not heard yet.
  var untold: [UntoldEvents] = []
  /// An empty list whose memory the plan's next records may use.
  var spareRecords: [PlanRecord] = []
  /// Whether somebody is on the way to tell them.
  var isDelivering = false

  /// An instant that some thread read, but not before any that was told earlier: threads read their clocks each by
  /// itself, and a plan's times do not go back.
  mutating func instant(_ nanoseconds: Int) -> Int {
    latestNanoseconds = max(latestNanoseconds, nanoseconds)
    return latestNanoseconds
  }

  struct TaskKey: Hashable {
    var step: StepIndex
    var attempt: Int
  }
}

/// What must be done outside the lock after a change.
struct Aftermath {
  /// Slots that must run a step.
  var wakes: [(queue: DispatchQueue, lane: Lane, start: Start)] = []
  /// Tries that must be told to end.
  var cancellations: [(step: StepIndex, attempt: Int)] = []
  /// When the plan's timer must be set; nil: it is.
  var timerAt: Int?
  /// Lanes whose pools must be watched.
  var watches: [Lane] = []
  var mustDeliver = false
  var hasEnded = false
}

/// A step that has been given a place; small, because every step passes through it.
struct Start {
  var step: StepIndex
  var attempt: Int32
  /// What it runs on; nil: nothing.
  var inputs: StartInputs?
}

/// What a step with inputs runs on.
final class StartInputs: Sendable {
  let values: ValueObject
  /// Why the inputs could not be made: the step fails without running.
  let problem: StepFailure?

  init(_ values: ValueObject, problem: StepFailure? = nil) {
    self.values = values
    self.problem = problem
  }
}
