import FlowPluginHost
import FlowPluginKit

/// A slot of a worker, occupied by one body.
struct PoolSlot: Sendable {
  var member: Int
  var session: PluginSession
  /// The link that transfers files to the worker, or nil if the worker shares files with flowrun.
  var files: FileLink?
  /// Completes when the worker and all of its processes have ended.
  var burial: Task<Void, Never>
}

/// The state of an executor's workers. A value that neither starts processes nor reads a clock.
struct PoolState {
  /// A worker that is running, or that is between two of its starts.
  struct Member {
    /// The session with the worker, or nil while it is not running.
    var session: PluginSession?
    /// The link that transfers files to the worker, or nil if the worker shares files with flowrun.
    var files: FileLink?
    /// True if the worker accepts calls.
    var isReady = false
    /// The number of bodies that occupy slots of the worker.
    var taken = 0
    var supervisor: ProgramSupervisor?
    /// The reason why the worker will not be restarted, or nil if it may be.
    var problem: String?
    /// Completes when the worker and all of its processes have ended. Nil if the worker is not running.
    var burial: Task<Void, Never>?
    /// True if the worker is giving up its allocation: it receives no more bodies and ends after its last one.
    var isLeaving = false
    /// Completed when a worker that gave up its allocation is needed again. Nil in any other state.
    var rest: OneShot<Void>?
    /// The number of the last claim for which this worker gave up its allocation.
    var lastClaim = 0
  }

  /// A body that waits for a free slot.
  struct Waiting {
    var id: Int
    var ticket: OneShot<Grant>
  }

  /// The result of waiting for a slot.
  enum Grant: Sendable {
    /// The body may use this slot.
    case slot(PoolSlot)
    /// No slot will become available.
    case lost(ExecutorLost)
    /// The slot is no longer needed.
    case cancelled
  }

  var members: [Member]
  let slots: [Int]
  private var waiting: [Waiting] = []
  private var nextID = 0
  var isClosed = false
  /// The most recent reason why a worker could not be used.
  var lastProblem = "no worker could be started"
  /// True if a worker that runs a single body was lost after it had been ready. The body may then run on another
  /// worker.
  var hasLostWork = false
  /// The error for bodies that cannot run because there are no workers.
  var loss: ExecutorLost { ExecutorLost(lastProblem, isFinal: !hasLostWork || isClosed) }

  init(slots: [Int]) {
    self.slots = slots
    members = slots.map { _ in Member() }
  }

  /// True if there are no workers and none will be started.
  var isGone: Bool { isClosed || members.allSatisfy { $0.problem != nil } }

  var isReady: Bool { members.contains(where: \.isReady) }

  /// Returns a slot of the worker with the most free slots, or nil if none is free.
  mutating func takeSlot() -> Grant? {
    var best: (member: Int, free: Int)?
    for index in members.indices where members[index].isReady {
      let free = slots[index] - members[index].taken
      if free > (best?.free ?? 0) { best = (index, free) }
    }
    guard let best, let session = members[best.member].session, let burial = members[best.member].burial else {
      return nil
    }
    members[best.member].taken += 1
    return .slot(PoolSlot(member: best.member, session: session, files: members[best.member].files, burial: burial))
  }

  /// Adds a body to the end of the queue. Returns the number that identifies it there.
  mutating func wait(_ ticket: OneShot<Grant>) -> Int {
    nextID += 1
    waiting.append(Waiting(id: nextID, ticket: ticket))
    return nextID
  }

  /// True if a ready worker has not yet given up its allocation for the claim with this number.
  func canMakeRoom(for claim: Int) -> Bool { members.contains { $0.isReady && $0.lastClaim < claim } }

  /// Makes the worker with the fewest bodies give up its allocation. Returns its session if it has no bodies and can
  /// end immediately, otherwise nil.
  mutating func makeRoom(for claim: Int) -> PluginSession? {
    let candidates = members.indices.filter { members[$0].isReady && members[$0].lastClaim < claim }
    guard let index = candidates.min(by: { members[$0].taken < members[$1].taken }) else { return nil }
    members[index].isReady = false
    members[index].isLeaving = true
    members[index].lastClaim = claim
    return leaver(index)
  }

  /// Returns the session of a worker that is giving up its allocation and has no bodies left. Returns nil for any other
  /// worker.
  func leaver(_ index: Int) -> PluginSession? {
    members[index].isLeaving && members[index].taken == 0 ? members[index].session : nil
  }

  /// Returns a one-shot that is completed when the worker, which gave up its allocation, is needed again. Returns nil
  /// if it is needed now or the executor is closed.
  mutating func beginRest(_ index: Int) -> OneShot<Void>? {
    guard !isClosed, waiting.isEmpty else { return nil }
    let rest = OneShot<Void>()
    members[index].rest = rest
    return rest
  }

  /// Returns the one-shot that restarts a worker which gave up its allocation, or nil if there is no such worker.
  mutating func endRest() -> OneShot<Void>? {
    guard let index = members.firstIndex(where: { $0.rest != nil }) else { return nil }
    defer { members[index].rest = nil }
    return members[index].rest
  }

  /// Removes a body from the queue. Returns false if it is not in the queue, because it has been granted a slot.
  mutating func leave(_ id: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Removes the bodies that can continue from the queue, and returns them with their results.
  mutating func grants() -> [(OneShot<Grant>, Grant)] {
    var grants: [(OneShot<Grant>, Grant)] = []
    if isGone {
      grants = waiting.map { ($0.ticket, .lost(loss)) }
      waiting = []
    }
    var count = 0
    while count < waiting.count, let grant = takeSlot() {
      grants.append((waiting[count].ticket, grant))
      count += 1
    }
    waiting.removeFirst(count)
    return grants
  }
}
