import FlowModel
import FlowPluginKit

/// The changing state of a run, guarded by one lock.
struct RunState {
  private(set) var latestNanoseconds = 0
  var plan: Plan
  /// The threads of each pool, by the pool's index.
  var pools: [ThreadPool]
  /// The batches of steps that threads have taken and may not have started. See ``revokeBatches()``.
  private(set) var batches: [Batch] = []
  /// The bodies that have waited and can continue.
  var resumptions = Resumptions()
  /// The outputs of steps, except empty ones.
  var outputs: [StepIndex: ValueObject] = [:]
  /// The products of steps as lists of paths, if expressions read them.
  var products: [StepIndex: Value] = [:]
  /// The fan-outs whose items are known.
  var fanOuts: [StepIndex: RunFanOut] = [:]
  /// The keys of items that come from objects.
  var itemKeys: [StepIndex: [String]] = [:]
  /// The names of items for people, of fan-outs that are not too large.
  var itemNames: [StepIndex: [String]] = [:]
  /// The number of times that each item's idempotency key has changed, in a resumed run.
  var itemRepetitions: [StepIndex: [Int: Int]] = [:]
  /// The results of the items' workflows, by instance.
  var itemRuns: [StepIndex: ItemRunSteps] = [:]
  /// The names of items in the data folder, by step, for steps that run a workflow per item.
  var itemRecords: [StepIndex: Set<UInt64>] = [:]
  /// True for those steps whose list may lack items because an upstream step failed.
  var doubtfulLists: [StepIndex: Bool] = [:]
  /// The total number of steps in items' workflows.
  var itemStepCount = 0
  var launch: Launch
  var environment: ValueObject = [:]
  /// The instant for which the plan's timer is set.
  var timerAt: Int?
  var postedCount = 0
  var eventValues = EventValues()
  var tasks: [Int: Task<Void, Never>] = [:]
  /// The number of sleeps in progress of each body, if the clock is virtual.
  var sleeping: [Int: Int] = [:]
  /// The services that follow repeating events.
  var followers: [Follower] = []
  /// The unanswered questions of steps.
  var questions: [StepIndex: OpenQuestion] = [:]
  /// The questions of steps in items' workflows; each item's first question comes first.
  var outerQuestions: [OuterQuestion] = []
  var warnings: [String] = []
  var threadShortage = ThreadShortage()
  /// The report of a run that has ended.
  var ended: EndedRun?
  var endWaiters: [@Sendable (RunReport) -> Void] = []

  // What the journal has not heard yet.
  /// The outputs that are withheld from the journal and the report, by step.
  var withheld: [StepIndex: Set<String>] = [:]
  /// Whether the journal began before the launch was known.
  var owesLaunch = false
  /// The outputs of steps.
  var unwrittenOutputs = UnwrittenOutputs()
  /// The output lines of steps, as JSON.
  var unwrittenLines: [UInt8] = []
  /// The byte index of the first line that had been held back, or nil.
  var firstReleasedByte: Int?
  /// The output lines that the record holds back, for other processes. See ``LiveLog``.
  var unshownLines: [UInt8] = []
  /// The recorded output lines.
  var recordedLog = RecordedLog()
  /// The steps of a durable run that may begin, or nil if the run is not durable.
  var durableStarts: DurableStarts?
  /// True if a check of the lease has been scheduled.
  var isAwaitingLease = false
  /// The time since which steps have waited for that check, or nil if none wait.
  var awaitedLeaseSince: Int?
  /// The bodies that were asked to end because the lease was not renewed in time.
  var endedForLease: Set<Int> = []

  // Not yet delivered to observers.
  var undelivered: [UndeliveredEvents] = []
  /// Turns records into events. Nil while it is in use and before it is needed.
  var recordReader: RecordReader?
  /// True if a delivery has been scheduled.
  var isDelivering = false
  /// True if a delivery has waited for the plan to be notified of the gate's opening. That happens once.
  var hasAwaitedGate = false
  /// The number of bytes of output lines that have not been delivered.
  var undeliveredLineBytes = 0

  /// Returns the instant that a thread has read, or the latest known one if that is later. Threads read their clocks
  /// independently, but a plan's times never decrease.
  mutating func instant(_ nanoseconds: Int) -> Int {
    latestNanoseconds = max(latestNanoseconds, nanoseconds)
    return latestNanoseconds
  }

  /// Returns true once when the launch must be written to the journal, because the journal began before it was known.
  mutating func takeUnwrittenLaunch() -> Bool {
    guard owesLaunch, plan.activatedAtNanoseconds != nil else { return false }
    owesLaunch = false
    return true
  }

  /// Returns and removes the outputs that are not in the journal yet.
  mutating func takeUnwrittenOutputs() -> UnwrittenOutputs {
    defer { unwrittenOutputs = UnwrittenOutputs() }
    return unwrittenOutputs
  }

  /// Notifies the plan that the gate has opened.
  mutating func takeIn(_ opened: OpenedGate) { plan.apply(.gateOpened(opened), at: instant(opened.atNanoseconds)) }

  /// Makes the plan exact: applies the progress of threads within their batches, and returns the rest to the queues.
  @inline(__always)
  mutating func revokeBatches() {
    if !batches.isEmpty { revokeAll() }
  }

  @inline(never)
  private mutating func revokeAll() {
    for batch in batches {
      let remainder = batch.revoke()
      plan.revoke(
        started: remainder.started, endedAt: remainder.ends, unstarted: remainder.unstarted,
        at: instant(remainder.ends.last ?? 0))
    }
    batches.removeAll(keepingCapacity: true)
  }

  /// Adds a batch that can be revoked.
  mutating func add(_ batch: Batch) { batches.append(batch) }

  /// Removes a batch that its thread has finished. Returns false if it had been revoked.
  mutating func remove(_ batch: Batch) -> Bool {
    guard let index = batches.firstIndex(where: { $0 === batch }) else { return false }
    batches.swapAt(index, batches.count - 1)
    batches.removeLast()
    return true
  }

  /// A step that handles the posts of an event one after another.
  struct Follower {
    var event: String
    var posts: PostQueue
    var step: StepIndex
    /// The call in progress for a post.
    var call: CalledActionHost?
  }

  /// Returns an attempt of a step as a number; attempts are below 256. For a key type, the runtime would look up its
  /// conformance at each process start.
  static func taskKey(_ step: StepIndex, _ attempt: Int) -> Int { Int(step) << 8 | attempt }
}

/// The report of a run that has ended, behind a reference. To copy an optional report, the runtime would have to
/// assemble its type, which took half a million instructions at each process start.
final class EndedRun: Sendable {
  let report: RunReport

  init(_ report: RunReport) { self.report = report }
}

/// The outputs that are not in the journal yet.
struct UnwrittenOutputs: Sendable {
  var steps: [(StepIndex, ValueObject)] = []
  var items: [(StepIndex, Int, ValueObject)] = []
  /// The values of events.
  var values: [RecordedEventValue] = []

  var isEmpty: Bool { steps.isEmpty && items.isEmpty && values.isEmpty }
}
