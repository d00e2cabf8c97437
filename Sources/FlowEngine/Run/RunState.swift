import FlowModel
import FlowPluginKit

/// What changes while a run continues; one lock guards all of it.
struct RunState {
  private(set) var latestNanoseconds = 0
  var plan: Plan
  /// The threads of each pool, by the pool's index.
  var pools: [ThreadPool]
  /// Steps that threads took in one go and that may not all have been started; see ``revokeBatches()``.
  private(set) var batches: [Batch] = []
  /// Bodies that have waited and can continue.
  var resumptions = Resumptions()
  /// What steps returned, but for those that gave nothing.
  var outputs: [StepIndex: ValueObject] = [:]
  /// The products of steps as lists of paths, if expressions read them.
  var products: [StepIndex: Value] = [:]
  /// The steps that run for several items now.
  var fanOuts: [StepIndex: RunFanOut] = [:]
  /// The keys of items, where they come from objects.
  var itemKeys: [StepIndex: [String]] = [:]
  /// The items as people read them, of steps that do not have too many.
  var itemNames: [StepIndex: [String]] = [:]
  /// How often items of steps have begun a new idempotency key, in a run that continues.
  var itemRepetitions: [StepIndex: [Int: Int]] = [:]
  /// How the workflows of items ended, by instance.
  var itemRuns: [StepIndex: ItemRunSteps] = [:]
  /// The names of items in the data folder, for the steps that have run a workflow for each.
  var itemRecords: [StepIndex: Set<UInt64>] = [:]
  /// Whether the lists of those steps may lack items because a step before them failed.
  var doubtfulLists: [StepIndex: Bool] = [:]
  /// The number of steps that those have together.
  var itemStepCount = 0
  var launch: Launch
  var environment: ValueObject = [:]
  /// The instant for which the plan's timer is set.
  var timerAt: Int?
  var postedCount = 0
  var eventValues = EventValues()
  var tasks: [Int: Task<Void, Never>] = [:]
  /// How many sleeps of a body are under way, where the run's clock is virtual.
  var sleeping: [Int: Int] = [:]
  /// The services that follow repeating events.
  var followers: [Follower] = []
  /// The questions of steps that are not answered yet.
  var questions: [StepIndex: OpenQuestion] = [:]
  /// What the steps of an item's workflow ask, the first of them by the item.
  var outerQuestions: [OuterQuestion] = []
  var warnings: [String] = []
  var threadShortage = ThreadShortage()
  /// The report of a run that has ended.
  var ended: EndedRun?
  var endWaiters: [@Sendable (RunReport) -> Void] = []

  // What the journal has not heard yet.
  /// Whether the journal began before the launch was known.
  var owesLaunch = false
  /// What steps returned.
  var unwrittenOutputs = UnwrittenOutputs()
  /// Lines that steps wrote, as JSON.
  var unwrittenLines: [UInt8] = []
  /// The index of the first line that had been held back, or nil.
  var firstReleasedByte: Int?
  /// Lines that the record holds back, for other processes; see ``LiveLog``.
  var unshownLines: [UInt8] = []
  /// The lines that are recorded.
  var recordedLog = RecordedLog()
  /// The steps of a durable run that may begin; nil: it is none.
  var durableStarts: DurableStarts?
  /// Whether a check that this process still has the run has been scheduled.
  var isAwaitingLease = false
  /// Since when steps have waited for that; nil: none do.
  var awaitedLeaseSince: Int?
  /// Bodies that were asked to end because the lease is late.
  var endedForLease: Set<Int> = []

  // What observers have not heard yet.
  var undelivered: [UndeliveredEvents] = []
  /// The writer that turns records into events; nil while it works, and before it is needed.
  var recordReader: RecordReader?
  /// Whether a report of them has been scheduled.
  var isDelivering = false
  /// Whether a delivery waits until the plan knows that the gate is open; that happens once.
  var hasAwaitedGate = false
  /// The number of bytes of programs' lines that the observer has not heard of.
  var undeliveredLineBytes = 0

  /// An instant that some thread read, but not before any that was told earlier: threads read their clocks each by
  /// itself, and a plan's times do not go back.
  mutating func instant(_ nanoseconds: Int) -> Int {
    latestNanoseconds = max(latestNanoseconds, nanoseconds)
    return latestNanoseconds
  }

  /// Whether the journal must be told of the launch now: it is known, and the journal began before.
  mutating func takeUnwrittenLaunch() -> Bool {
    guard owesLaunch, plan.activatedAtNanoseconds != nil else { return false }
    owesLaunch = false
    return true
  }

  /// Takes what steps returned and the journal has not heard.
  mutating func takeUnwrittenOutputs() -> UnwrittenOutputs {
    defer { unwrittenOutputs = UnwrittenOutputs() }
    return unwrittenOutputs
  }

  /// Notifies the plan that the gate has opened.
  mutating func takeIn(_ opened: OpenedGate) { plan.apply(.gateOpened(opened), at: instant(opened.atNanoseconds)) }

  /// Makes the plan exact: it hears how far threads have come with their batches, and has the rest back.
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

  /// Puts a batch among those that can be revoked.
  mutating func add(_ batch: Batch) { batches.append(batch) }

  /// Takes a batch out that its thread has run through; false where it had been revoked.
  mutating func remove(_ batch: Batch) -> Bool {
    guard let index = batches.firstIndex(where: { $0 === batch }) else { return false }
    batches.swapAt(index, batches.count - 1)
    batches.removeLast()
    return true
  }

  /// A step that takes the posts of an event one after the other.
  struct Follower {
    var event: String
    var posts: PostQueue
    var step: StepIndex
    /// What is being called for a post.
    var call: CalledActionHost?
  }

  /// An attempt of a step as a number, below 256: a key of a type of its own would have the runtime look up its conformance at
  /// each start.
  static func taskKey(_ step: StepIndex, _ attempt: Int) -> Int { Int(step) << 8 | attempt }
}

/// The report of a run that has ended, behind a reference: to copy an optional report the runtime first assembles its type,
/// which took half a million instructions of each start.
final class EndedRun: Sendable {
  let report: RunReport

  init(_ report: RunReport) { self.report = report }
}

/// What steps returned and the journal has not heard.
struct UnwrittenOutputs: Sendable {
  var steps: [(StepIndex, ValueObject)] = []
  var items: [(StepIndex, Int, ValueObject)] = []
  /// The values of events.
  var values: [RecordedEventValue] = []

  var isEmpty: Bool { steps.isEmpty && items.isEmpty && values.isEmpty }
}
