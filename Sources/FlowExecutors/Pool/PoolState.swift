import FlowPluginHost
import FlowPluginKit

/// A slot of a worker that a body occupies.
struct PoolSlot: Sendable {
  var member: Int
  var session: PluginSession
  /// The link that transfers the worker's files, or nil if they are shared.
  var files: FileLink?
  /// Finishes once the worker has terminated.
  var burial: Task<Void, Never>
}

/// The state of the workers of an executor: a value without processes or clock.
struct PoolState {
  /// A worker, or the slot for one.
  struct Member {
    /// Its session, or nil if there is none.
    var session: PluginSession?
    /// The link that transfers the worker's files, or nil if they are shared.
    var files: FileLink?
    /// True if calls may be sent to it.
    var isReady = false
    /// The number of its bodies.
    var taken = 0
    /// Starts it, and starts it again.
    var supervisor: ProgramSupervisor?
    /// Why it is not started again; nil: it is.
    var problem: String?
    /// Finishes once it has terminated, or nil if there is nothing to wait for.
    var burial: Task<Void, Never>?
    /// True if it is making room: it gets no more bodies and ends when it has none.
    var isLeaving = false
    /// Completed when it is needed again, or nil if it has not left.
    var rest: OneShot<Void>?
    /// The newest claim of a step with a separate worker for which it has made room.
    var lastClaim = 0
  }

  /// A body that waits for a slot.
  struct Waiting {
    var id: Int
    var ticket: OneShot<Grant>
  }

  /// The result of waiting for a slot.
  enum Grant: Sendable {
    /// A slot of a worker.
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
  /// The reason why the last worker could not be used.
  var lastProblem = "no worker could be started"
  /// True if a worker for one body was lost after it was ready: the body may run in another one.
  var hasLostWork = false
  /// The error of bodies if there are no workers.
  var loss: ExecutorLost { ExecutorLost(lastProblem, isFinal: !hasLostWork || isClosed) }

  init(slots: [Int]) {
    self.slots = slots
    members = slots.map { _ in Member() }
  }

  /// True if there are no workers and there will be none.
  var isGone: Bool { isClosed || members.allSatisfy { $0.problem != nil } }

  /// True if a worker accepts calls.
  var isReady: Bool { members.contains(where: \.isReady) }

  /// A slot of the worker with the most free slots, or nil if none is free.
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

  /// Adds a caller to the end of the queue.
  mutating func wait(_ ticket: OneShot<Grant>) -> Int {
    nextID += 1
    waiting.append(Waiting(id: nextID, ticket: ticket))
    return nextID
  }

  // MARK: Making room

  /// True if a worker could make room for the claim with this number and has not done so yet.
  func canMakeRoom(for claim: Int) -> Bool { members.contains { $0.isReady && $0.lastClaim < claim } }

  /// Makes the worker with the fewest bodies leave; returns the session to end at once if it has no bodies.
  mutating func makeRoom(for claim: Int) -> PluginSession? {
    let candidates = members.indices.filter { members[$0].isReady && members[$0].lastClaim < claim }
    guard let index = candidates.min(by: { members[$0].taken < members[$1].taken }) else { return nil }
    members[index].isReady = false
    members[index].isLeaving = true
    members[index].lastClaim = claim
    return leaver(index)
  }

  /// The session to end of a worker that makes room and has no bodies left.
  func leaver(_ index: Int) -> PluginSession? {
    members[index].isLeaving && members[index].taken == 0 ? members[index].session : nil
  }

  /// The event to await until a worker that has left is needed again, or nil if it is needed now.
  mutating func beginRest(_ index: Int) -> OneShot<Void>? {
    guard !isClosed, waiting.isEmpty else { return nil }
    let rest = OneShot<Void>()
    members[index].rest = rest
    return rest
  }

  /// The first worker that has left and is needed again now.
  mutating func endRest() -> OneShot<Void>? {
    guard let index = members.firstIndex(where: { $0.rest != nil }) else { return nil }
    defer { members[index].rest = nil }
    return members[index].rest
  }

  /// Removes a caller from the queue; returns false if a slot has been granted.
  mutating func leave(_ id: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Waiting callers that may continue, with their results.
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
