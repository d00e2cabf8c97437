import FlowPluginHost
import FlowPluginKit

/// A place of a worker that a body has.
struct PoolSlot: Sendable {
  var member: Int
  var session: PluginSession
  /// What sends its files; nil: they are shared.
  var files: FileLink?
  /// What waits for the worker to be gone.
  var burial: Task<Void, Never>
}

/// What changes about the workers of an executor: a value without processes or clock.
struct PoolState {
  /// A worker, or the slot where one is to be.
  struct Member {
    /// Its conversation; nil while there is none.
    var session: PluginSession?
    /// What sends its files; nil: they are shared.
    var files: FileLink?
    /// Whether calls may be handed to it.
    var isReady = false
    /// The number of bodies that it has.
    var taken = 0
    /// Starts it, and starts it again.
    var supervisor: ProgramSupervisor?
    /// Why it is not started again; nil: it is.
    var problem: String?
    /// What waits for it to be gone; nil: nothing needs to.
    var burial: Task<Void, Never>?
    /// Whether it gets no more bodies, and ends when it has none: it makes room.
    var isLeaving = false
    /// Told when it is wanted again; nil: it has not left.
    var rest: OneShot<Void>?
    /// The newest worker of a step's own for which it has made room.
    var lastClaim = 0
  }

  /// A body that waits for a slot.
  struct Waiting {
    var id: Int
    var ticket: OneShot<Grant>
  }

  /// What came of waiting for a slot.
  enum Grant: Sendable {
    /// A place of a worker.
    case slot(PoolSlot)
    /// There will be none.
    case lost(ExecutorLost)
    /// It is no longer wanted.
    case cancelled
  }

  var members: [Member]
  let slots: [Int]
  private var waiting: [Waiting] = []
  private var nextID = 0
  var isClosed = false
  /// Why the last worker could not be used.
  var lastProblem = "no worker could be started"
  /// Whether a worker for one body was at work before it was lost: the body may run in another one.
  var hasLostWork = false
  /// The way in which bodies end if there are no workers.
  var loss: ExecutorLost { ExecutorLost(lastProblem, isFinal: !hasLostWork || isClosed) }

  init(slots: [Int]) {
    self.slots = slots
    members = slots.map { _ in Member() }
  }

  /// Whether there are no workers, and none will be.
  var isGone: Bool { isClosed || members.allSatisfy { $0.problem != nil } }

  /// Whether a worker takes calls.
  var isReady: Bool { members.contains(where: \.isReady) }

  /// A place of the worker that has most free ones; nil: none is free.
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

  /// Puts somebody at the end of the line.
  mutating func wait(_ ticket: OneShot<Grant>) -> Int {
    nextID += 1
    waiting.append(Waiting(id: nextID, ticket: ticket))
    return nextID
  }

  // MARK: Making room

  /// Whether a worker could make room for the claim of this number, which it has not done yet.
  func canMakeRoom(for claim: Int) -> Bool { members.contains { $0.isReady && $0.lastClaim < claim } }

  /// Has the worker with the fewest bodies make room; what is to be ended at once, where it has none.
  mutating func makeRoom(for claim: Int) -> PluginSession? {
    let candidates = members.indices.filter { members[$0].isReady && members[$0].lastClaim < claim }
    guard let index = candidates.min(by: { members[$0].taken < members[$1].taken }) else { return nil }
    members[index].isReady = false
    members[index].isLeaving = true
    members[index].lastClaim = claim
    return leaver(index)
  }

  /// What is to be ended of a worker that makes room and has no body left.
  func leaver(_ index: Int) -> PluginSession? {
    members[index].isLeaving && members[index].taken == 0 ? members[index].session : nil
  }

  /// What to wait for until a worker that has left is wanted again; nil: it is.
  mutating func beginRest(_ index: Int) -> OneShot<Void>? {
    guard !isClosed, waiting.isEmpty else { return nil }
    let rest = OneShot<Void>()
    members[index].rest = rest
    return rest
  }

  /// The first worker that has left and is wanted again now.
  mutating func endRest() -> OneShot<Void>? {
    guard let index = members.firstIndex(where: { $0.rest != nil }) else { return nil }
    defer { members[index].rest = nil }
    return members[index].rest
  }

  /// Takes somebody out of the line; false: a slot has been granted.
  mutating func leave(_ id: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  /// Waiting callers that may continue, with their answers.
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
