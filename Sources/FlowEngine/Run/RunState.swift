import FlowModel
import FlowPluginKit

/// The changing state of a run. One lock guards it.
struct RunState {
  private(set) var latestNanoseconds = 0
  var plan: Plan
  /// The threads of each pool, by the pool's index.
  var pools: [ThreadPool]
  /// The batches of prefetched steps that threads are running. See ``revokeBatches()``.
  private(set) var batches: [Batch] = []
  /// The bodies that have waited and can continue now.
  var resumptions = Resumptions()
  /// The outputs of each step that has any.
  var outputs: [StepIndex: ValueObject] = [:]
  /// The products of each step as a list of paths. Empty unless an expression reads them.
  var products: [StepIndex: Value] = [:]
  /// The items of each fan-out with their outputs, once the items are known.
  var fanOuts: [StepIndex: RunFanOut] = [:]
  /// The keys of items, for steps whose items come from an object.
  var itemKeys: [StepIndex: [String]] = [:]
  /// The names of items as shown to users, by step. Large fan-outs have none.
  var itemNames: [StepIndex: [String]] = [:]
  /// In a resumed run, the number of times that the idempotency key of each item has changed.
  var itemRepetitions: [StepIndex: [Int: Int]] = [:]
  /// The results of the steps of items' workflows, by the item's instance.
  var itemRuns: [StepIndex: ItemRunSteps] = [:]
  /// The names of items' records in the data folder, for steps that run a workflow for each item.
  var itemRecords: [StepIndex: Set<UInt64>] = [:]
  /// True for a step if items may be missing from its list because a step upstream failed.
  var doubtfulLists: [StepIndex: Bool] = [:]
  /// The number of step results in `itemRuns`.
  var itemStepCount = 0
  var launch: Launch
  var environment: ValueObject = [:]
  /// The time at which the plan's timer fires, or nil if it is not set.
  var timerAt: Int?
  var postedCount = 0
  var eventValues = EventValues()
  var tasks: [Int: Task<Void, Never>] = [:]
  /// The number of sleeps in progress, by body. Used only with a virtual clock.
  var sleeping: [Int: Int] = [:]
  /// The services that follow events.
  var followers: [Follower] = []
  /// The unanswered question of each step that asks one.
  var questions: [StepIndex: OpenQuestion] = [:]
  /// The questions of steps in items' workflows. The first question is open in the outer run.
  var outerQuestions: [OuterQuestion] = []
  var warnings: [String] = []
  var threadShortage = ThreadShortage()
  /// The report and its consequences, or nil until the run has ended.
  var ended: EndedRun?
  var endWaiters: [@Sendable (RunReport) -> Void] = []

  // State that has not been written to the journal.
  /// The names of outputs that are kept out of the journal and the report, by step.
  var withheld: [StepIndex: Set<String>] = [:]
  /// True if the journal began before the launch was known, so that the launch must still be recorded.
  var owesLaunch = false
  var unwrittenOutputs = UnwrittenOutputs()
  /// Unwritten output lines of steps, as JSON.
  var unwrittenLines: [UInt8] = []
  /// The byte offset in `unwrittenLines` of the first line that was held back earlier, or nil if there is none.
  var firstReleasedByte: Int?
  /// Output lines that are not recorded for now, but must be shown to other processes. See ``LiveLog``.
  var unshownLines: [UInt8] = []
  /// Decides which part of each step's output is recorded.
  var recordedLog = RecordedLog()
  /// The chosen steps of a durable run, or nil if the run is not durable.
  var durableStarts: DurableStarts?
  /// True if a check of the lease is scheduled.
  var isAwaitingLease = false
  /// The time at which steps began to wait for the lease, or nil if none wait.
  var awaitedLeaseSince: Int?
  /// The bodies that were asked to end because the lease was not renewed in time.
  var endedForLease: Set<Int> = []

  // Events that have not been delivered to the observer.
  var undelivered: [UndeliveredEvents] = []
  /// Creates events from records. Nil before its first use, and while the delivery thread is using it.
  var recordReader: RecordReader?
  /// True if a delivery is scheduled.
  var isDelivering = false
  /// True if a delivery has already waited for the plan to be notified of the gate's opening. It waits only once.
  var hasAwaitedGate = false
  /// The size of the output lines among the undelivered events, in bytes.
  var undeliveredLineBytes = 0

  /// Returns the time that a thread has read, or the latest time given to the plan if that is later. Threads read the
  /// clock independently, but the times that the plan receives must not decrease.
  mutating func instant(_ nanoseconds: Int) -> Int {
    latestNanoseconds = max(latestNanoseconds, nanoseconds)
    return latestNanoseconds
  }

  /// Returns true if the launch must be recorded now, because the journal began before it was known. Returns false
  /// after that.
  mutating func takeUnwrittenLaunch() -> Bool {
    guard owesLaunch, plan.activatedAtNanoseconds != nil else { return false }
    owesLaunch = false
    return true
  }

  /// Removes and returns the outputs that have not been written to the journal.
  mutating func takeUnwrittenOutputs() -> UnwrittenOutputs {
    defer { unwrittenOutputs = UnwrittenOutputs() }
    return unwrittenOutputs
  }

  mutating func takeIn(_ opened: OpenedGate) { plan.apply(.gateOpened(opened), at: instant(opened.atNanoseconds)) }

  /// Brings the plan up to date with all batches: records the steps that have ended, and returns those that have not
  /// started to their queues.
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

  mutating func add(_ batch: Batch) { batches.append(batch) }

  /// Removes a batch whose steps have all ended. Returns false if it is no longer in the list, because it was revoked.
  mutating func remove(_ batch: Batch) -> Bool {
    guard let index = batches.firstIndex(where: { $0 === batch }) else { return false }
    batches.swapAt(index, batches.count - 1)
    batches.removeLast()
    return true
  }

  /// A service that handles the posts of an event one at a time.
  struct Follower {
    var event: String
    var posts: PostQueue
    var step: StepIndex
    /// The call to an action for the current post, or nil if there is none.
    var call: CalledActionHost?
  }

  /// Returns a key for an attempt, whose number is below 256. It is an integer, because a separate key type would make
  /// the runtime look up its conformances each time the process starts.
  static func taskKey(_ step: StepIndex, _ attempt: Int) -> Int { Int(step) << 8 | attempt }
}

/// The report of a run that has ended. It is stored by reference, because copying an optional report would make the
/// runtime create the type, which took half a million instructions each time the process started.
final class EndedRun: Sendable {
  let report: RunReport

  init(_ report: RunReport) { self.report = report }
}

/// The outputs that have not been written to the journal.
struct UnwrittenOutputs: Sendable {
  var steps: [(StepIndex, ValueObject)] = []
  var items: [(StepIndex, Int, ValueObject)] = []
  var values: [RecordedEventValue] = []

  var isEmpty: Bool { steps.isEmpty && items.isEmpty && values.isEmpty }
}
