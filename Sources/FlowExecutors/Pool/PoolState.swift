import FlowPluginHost
import FlowPluginKit

/// A worker's slot that is occupied by a body.
struct PoolSlot: Sendable {
  var member: Int
  var session: PluginSession
  /// The link that transfers files to the worker, or nil if the worker shares files with flowrun.
  var files: FileLink?
  /// Completes when the worker and all of its processes have ended.
  var burial: Task<Void, Never>
}

/// The state of an executor's workers. A value without processes and clock.
struct PoolState {
  /// One worker, or its absence between two starts.
  struct Member {
    /// The session with the worker, or nil if it does not run.
    var session: PluginSession?
    /// The link that transfers files to the worker, or nil if the worker shares files with flowrun.
    var files: FileLink?
    /// True if calls may be sent to the worker.
    var isReady = false
    /// The number of bodies on the worker.
    var taken = 0
    /// The supervisor that starts and restarts the worker.
    var supervisor: ProgramSupervisor?
    /// The reason why the worker is not restarted, or nil if it is.
    var problem: String?
    /// Completes when the worker and all of its processes have ended, or nil if there is nothing to wait for.
    var burial: Task<Void, Never>?
    /// True if the worker is making room: it receives no more bodies and ends when its last body has ended.
    var isLeaving = false
    /// Completed when the worker is needed again, or nil if it has not made room.
    var rest: OneShot<Void>?
    /// The number of the last claim for which this worker made room.
    var lastClaim = 0
  }

  /// A body that waits for a slot.
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
  /// The last reason why a worker could not be used.
  var lastProblem = "no worker could be started"
  /// True if a worker that runs a single body was lost after it was ready. The body may then run on another worker.
  var hasLostWork = false
  /// The error of bodies if there are no workers.
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

  /// Adds a caller to the end of the queue. Returns its number.
  mutating func wait(_ ticket: OneShot<Grant>) -> Int {
    nextID += 1
    waiting.append(Waiting(id: nextID, ticket: ticket))
    return nextID
  }

  // MARK: Making room

  /// True if a ready worker has not yet made room for the claim with this number.
  func canMakeRoom(for claim: Int) -> Bool { members.contains { $0.isReady && $0.lastClaim < claim } }

  /// Makes the worker with the fewest bodies leave. Returns its session if it has no bodies and can end at once.
  mutating func makeRoom(for claim: Int) -> PluginSession? {
    let candidates = members.indices.filter { members[$0].isReady && members[$0].lastClaim < claim }
    guard let index = candidates.min(by: { members[$0].taken < members[$1].taken }) else { return nil }
    members[index].isReady = false
    members[index].isLeaving = true
    members[index].lastClaim = claim
    return leaver(index)
  }

  /// Returns the session of a worker that makes room, if it has no bodies left.
  func leaver(_ index: Int) -> PluginSession? {
    members[index].isLeaving && members[index].taken == 0 ? members[index].session : nil
  }

  /// Returns an event that occurs when a worker that has made room is needed again, or nil if it is needed now.
  mutating func beginRest(_ index: Int) -> OneShot<Void>? {
    guard !isClosed, waiting.isEmpty else { return nil }
    let rest = OneShot<Void>()
    members[index].rest = rest
    return rest
  }

  /// Returns the event of a worker that has made room and is needed again now, or nil if there is none.
  mutating func endRest() -> OneShot<Void>? {
    guard let index = members.firstIndex(where: { $0.rest != nil }) else { return nil }
    defer { members[index].rest = nil }
    return members[index].rest
  }

  /// Removes a caller from the queue. Returns false if a slot has already been granted.
  mutating func leave(_ id: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Returns the waiting callers that can continue, with their results.
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
