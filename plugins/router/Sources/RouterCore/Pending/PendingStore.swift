/// The links that arrive before, while and after the user interface becomes ready. The store has no clock: every change
/// is a call that receives the current time.
///
/// A link is held until `flush`, waits until the interface has settled, and is then handed off. After that, only
/// ``finished(_:at:)`` removes it, so that it survives a crash or a closed interface (ruling C5). Each change returns
/// effects, which the owner must perform in order.
public struct PendingStore: Sendable, Hashable {
  /// The number of a link in this store.
  public typealias ID = Int

  /// The outcome of adding a link.
  public enum Arrival: Sendable, Hashable {
    /// The link waits for a flush.
    case deferred(ID)
    /// The link can be handed off now. The owner must then call ``PendingStore/finished(_:at:)`` or
    /// ``PendingStore/returned(_:scope:at:)``.
    case open(ID)
    /// Another delivery of a tap whose link is unfinished, was just finished or was replaced. The link is not added.
    case duplicate
  }

  /// An effect that the owner must perform.
  public enum Effect: Sendable, Hashable {
    /// Write this entry to the log.
    case log(LogEntry)
    /// Store the unfinished links of the scope persistently, or delete the stored ones if none is left.
    case persist(scope: String)
    /// Call ``PendingStore/settled(scope:at:)`` at this time.
    case wake(scope: String, atMilliseconds: Int)
    /// Open this link, and then call ``PendingStore/finished(_:at:)`` or ``PendingStore/returned(_:scope:at:)``.
    case handOff(ID, PendingRoute)
  }

  /// An event in the life of a link, to be logged (N36).
  public struct LogEntry: Sendable, Hashable {
    /// The kinds of events. The raw values are their names in logs.
    public enum Kind: String, Sendable, Hashable {
      case set = "pending.set"
      case overwritten = "pending.overwritten"
      case duplicate = "pending.duplicate"
      case expired = "pending.expired"
      case executed = "pending.executed"
      case completed = "pending.completed"
      case returned = "pending.returned"
    }

    /// The event to log.
    public let kind: Kind
    /// The link that the event concerns.
    public let route: PendingRoute
  }

  /// A link and its number in the store.
  private struct NamedLink: Sendable, Hashable {
    let id: ID
    var route: PendingRoute
  }

  /// The links of one scope and their progress.
  private struct Queue: Sendable, Hashable {
    var waiting: [NamedLink] = []
    /// The time at which the interface will have settled after a flush, or nil if no flush is in progress.
    var settlesAtMilliseconds: Int?
    /// The link that has been handed off but is not finished, or nil.
    var handingOff: NamedLink?
  }

  /// A link that was finished or replaced. For some time, another delivery of it counts as a duplicate.
  private struct HandedOff: Sendable, Hashable {
    let route: PendingRoute
    let atMilliseconds: Int

    /// True if the link was finished or replaced so recently that another delivery of it counts as a duplicate.
    func isFresh(at now: Int) -> Bool { now - atMilliseconds <= PendingPolicy.duplicateWindowMilliseconds }
  }

  /// The rule that decides which links are kept.
  public let policy: PendingPolicy
  private var queues: [String: Queue] = [:]
  /// Links that were opened immediately and are not finished yet.
  private var direct: [NamedLink] = []
  private var recent: [HandedOff] = []
  /// Links that were replaced by a later tap. Another delivery of such a link is a duplicate, not a new tap.
  private var superseded: [HandedOff] = []
  private var lastID: ID = 0

  /// Creates a store without links.
  public init(policy: PendingPolicy = PendingPolicy()) { self.policy = policy }
}

// MARK: - Queries

extension PendingStore {
  /// True if a link of the scope is waiting or being handed off (N5).
  public func hasPending(scope: String) -> Bool { !unfinished(scope: scope).isEmpty }

  /// Returns the waiting links of a scope, which must be stored persistently. A link that is being handed off comes
  /// first. Links that were opened immediately are not included.
  public func unfinished(scope: String) -> [PendingRoute] {
    guard let queue = queues[scope] else { return [] }
    return ([queue.handingOff].compactMap { $0 } + queue.waiting).map(\.route)
  }

  /// The scopes with unfinished links.
  public var scopes: [String] { queues.keys.sorted() }

  private func isDuplicate(_ route: PendingRoute, at now: Int) -> Bool {
    // A link opened by the application itself does not come from a tap, so it is never a duplicate.
    guard route.source.isExternal else { return false }
    let unfinished = queues.values.lazy.flatMap { [$0.handingOff].compactMap { $0 } + $0.waiting } + direct
    if unfinished.contains(where: { $0.route.isSameTap(as: route) }) { return true }
    let isHolding = !queues.isEmpty || !direct.isEmpty
    return recent.contains { $0.isFresh(at: now) && $0.route.isSameTap(as: route) }
      || superseded.contains { (isHolding || $0.isFresh(at: now)) && $0.route.isSameTap(as: route) }
  }
}

// MARK: - Adding links

extension PendingStore {
  /// Adds a link that waits for the next flush even if the interface is already ready (N20, N26).
  public mutating func hold(
    _ route: PendingRoute, scope: String, at now: Int
  ) -> (arrival: Arrival, effects: [Effect]) {
    if isDuplicate(route, at: now) { return (.duplicate, duplicated(route)) }
    lastID += 1
    let entry = NamedLink(id: lastID, route: route)
    var effects: [Effect] = []
    var queue = queues[scope] ?? Queue()
    let room = policy.keep == .latest ? 1 : PendingPolicy.capacity
    while queue.waiting.count >= room {
      let earlier = queue.waiting.removeFirst().route
      supersede(earlier, at: now)
      effects.append(.log(LogEntry(kind: .overwritten, route: earlier)))
    }
    queue.waiting.append(entry)
    queues[scope] = queue
    effects.append(.log(LogEntry(kind: .set, route: route)))
    effects.append(.persist(scope: scope))
    return (.deferred(entry.id), effects)
  }

  /// Adds a link. Returns `open` if the interface is ready, no flush of the scope is in progress, and no link of the
  /// scope is being handed off. Otherwise holds the link (N2, N9, N11); with `latest`, it replaces the waiting link.
  /// In either case, returns `duplicate` without adding the link if it is another delivery of a recent tap.
  public mutating func open(
    _ route: PendingRoute, scope: String, isReady: Bool, at now: Int
  ) -> (arrival: Arrival, effects: [Effect]) {
    let queue = queues[scope]
    guard isReady, queue?.settlesAtMilliseconds == nil, queue?.handingOff == nil else {
      return hold(route, scope: scope, at: now)
    }
    if isDuplicate(route, at: now) { return (.duplicate, duplicated(route)) }
    lastID += 1
    direct.append(NamedLink(id: lastID, route: route))
    return (.open(lastID), [.log(LogEntry(kind: .executed, route: route))])
  }

  /// Records another delivery of a tap. If the waiting link has no identifier, it adopts the delivery's identifier, so
  /// that a later tap on an equal link is recognized as new.
  private mutating func duplicated(_ route: PendingRoute) -> [Effect] {
    var effects: [Effect] = [.log(LogEntry(kind: .duplicate, route: route))]
    guard let id = route.notificationID else { return effects }
    for (scope, queue) in queues {
      for (place, entry) in queue.waiting.enumerated()
      where entry.route.notificationID == nil && entry.route.isSameTap(as: route) {
        queues[scope]?.waiting[place].route.notificationID = id
        effects.append(.persist(scope: scope))
      }
    }
    return effects
  }

  private mutating func supersede(_ route: PendingRoute, at now: Int) {
    if superseded.count == PendingPolicy.capacity { superseded.removeFirst() }
    superseded.append(HandedOff(route: route, atMilliseconds: now))
  }

  /// Adds links that an earlier process did not finish. Drops expired links and, if there are too many, the oldest
  /// ones.
  public mutating func restore(_ routes: [PendingRoute], scope: String, at now: Int) -> [Effect] {
    var queue = queues[scope] ?? Queue()
    var effects: [Effect] = []
    for route in routes {
      if route.isExpired(atMilliseconds: now) {
        effects += [.log(LogEntry(kind: .expired, route: route)), .persist(scope: scope)]
        continue
      }
      lastID += 1
      queue.waiting.append(NamedLink(id: lastID, route: route))
    }
    let room = policy.keep == .latest ? 1 : PendingPolicy.capacity
    while queue.waiting.count > room {
      effects += [
        .log(LogEntry(kind: .overwritten, route: queue.waiting.removeFirst().route)), .persist(scope: scope),
      ]
    }
    set(queue, scope)
    return effects
  }
}

// MARK: - Handing links off

extension PendingStore {
  /// Schedules the hand-off of waiting links for when the interface has settled. Expired links are dropped.
  /// `isScheduled` is false if no link is waiting (N4, N28, N39).
  public mutating func flush(
    scope: String, settleMilliseconds: Int = PendingPolicy.defaultSettleMilliseconds, at now: Int
  ) -> (isScheduled: Bool, effects: [Effect]) {
    var effects = dropExpired(scope: scope, at: now)
    guard var queue = queues[scope], !queue.waiting.isEmpty else { return (false, effects) }
    guard queue.settlesAtMilliseconds == nil, queue.handingOff == nil else { return (true, effects) }
    let due = now + settleMilliseconds
    queue.settlesAtMilliseconds = due
    queues[scope] = queue
    effects.append(.wake(scope: scope, atMilliseconds: due))
    return (true, effects)
  }

  /// Handles a wake-up requested by a flush. Requests another wake-up if this one is too early.
  public mutating func settled(scope: String, at now: Int) -> [Effect] {
    guard let due = queues[scope]?.settlesAtMilliseconds else { return [] }
    guard now >= due else { return [.wake(scope: scope, atMilliseconds: due)] }
    queues[scope]?.settlesAtMilliseconds = nil
    return handOffNext(scope: scope, at: now)
  }

  /// Removes a link that was handed off or opened immediately, whether its page was opened or not. After a hand-off,
  /// the next waiting link of the scope is handed off.
  public mutating func finished(_ id: ID, at now: Int) -> [Effect] {
    recent.removeAll { !$0.isFresh(at: now) }
    if let index = direct.firstIndex(where: { $0.id == id }) {
      return [completed(direct.remove(at: index), at: now)]
    }
    guard let (scope, entry) = handingOff(id) else { return [] }
    let log = completed(entry, at: now)
    queues[scope]?.handingOff = nil
    return [log, .persist(scope: scope)] + handOffNext(scope: scope, at: now)
  }

  /// Puts a link back into the queue because the interface closed before accepting it. With `latest`, it is dropped if
  /// a later link is waiting.
  public mutating func returned(_ id: ID, scope: String, at now: Int) -> [Effect] {
    let entry: NamedLink
    if let index = direct.firstIndex(where: { $0.id == id }) {
      entry = direct.remove(at: index)
    } else {
      guard let (holder, held) = handingOff(id), holder == scope else { return [] }
      queues[scope]?.handingOff = nil
      entry = held
    }
    var queue = queues[scope] ?? Queue()
    if policy.keep == .latest, !queue.waiting.isEmpty {
      supersede(entry.route, at: now)
      return [.log(LogEntry(kind: .overwritten, route: entry.route)), .persist(scope: scope)]
    }
    queue.waiting.insert(entry, at: 0)
    queues[scope] = queue
    return [.log(LogEntry(kind: .returned, route: entry.route)), .persist(scope: scope)]
  }

  private mutating func completed(_ entry: NamedLink, at now: Int) -> Effect {
    recent.append(HandedOff(route: entry.route, atMilliseconds: now))
    return .log(LogEntry(kind: .completed, route: entry.route))
  }

  private func handingOff(_ id: ID) -> (scope: String, entry: NamedLink)? {
    for (scope, queue) in queues {
      if let entry = queue.handingOff, entry.id == id { return (scope, entry) }
    }
    return nil
  }

  private mutating func handOffNext(scope: String, at now: Int) -> [Effect] {
    let effects = dropExpired(scope: scope, at: now)
    guard var queue = queues[scope], !queue.waiting.isEmpty else {
      set(queues[scope] ?? Queue(), scope)
      return effects
    }
    let next = queue.waiting.removeFirst()
    queue.handingOff = next
    queues[scope] = queue
    return effects + [.log(LogEntry(kind: .executed, route: next.route)), .handOff(next.id, next.route)]
  }

  private mutating func dropExpired(scope: String, at now: Int) -> [Effect] {
    guard var queue = queues[scope] else { return [] }
    let expired = queue.waiting.filter { $0.route.isExpired(atMilliseconds: now) }
    guard !expired.isEmpty else { return [] }
    queue.waiting.removeAll { $0.route.isExpired(atMilliseconds: now) }
    set(queue, scope)
    return expired.map { .log(LogEntry(kind: .expired, route: $0.route)) } + [.persist(scope: scope)]
  }

  /// Stores a scope's queue, or removes an empty one so that idle scopes use no memory.
  private mutating func set(_ queue: Queue, _ scope: String) {
    queues[scope] = queue == Queue() ? nil : queue
  }
}
