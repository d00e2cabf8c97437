import SyncCore

/// A running device: performs the effects of its machine with a real backend, file and clock.
///
/// ```swift
/// let session = try await SyncSession.open(
///   device: "mac", zone: "PomodoroZone", backend: backend, store: store)
/// await session.start()
/// try await session.act(Pomodoro.timer, .edit(TimerState(kind: .focus).edit()))
/// ```
public actor SyncSession {
  /// The machine's current state, for reading records and the status.
  package private(set) var machine: SyncMachine
  private let zone: String
  private let backend: any SyncBackend
  private let store: any ReplicaStore
  private let clock: any SyncClock
  private let onNotice: @Sendable (SyncMachine.Notice, SyncMachine) -> Void

  /// An event, and the continuation of a caller that waits until the event has been processed.
  private typealias Queued = (
    event: SyncMachine.Event, done: CheckedContinuation<Result<[Int64], ReplicaError>, Never>?
  )

  private var queue: [Queued] = []
  private var isDraining = false
  private var isStopped = false
  private var isSuspended = false
  /// The callers of `suspend()` that wait until the current event has been saved.
  private var suspending: [CheckedContinuation<Void, Never>] = []
  /// The reason why this session can no longer use the device's own file, or nil if it can.
  package private(set) var fileProblem: ReplicaError?
  private var requests: [Int: Task<Void, Never>] = [:]
  private var channel: Task<Void, Never>?
  private var timer: (milliseconds: Int64, task: Task<Void, Never>)?
  private var waiters: [Int: (condition: @Sendable (SyncMachine) -> Bool, done: CheckedContinuation<Bool, Never>)] = [:]
  private var nextWaiter = 0
  /// The number of consecutive failed saves, and the earliest time at which the timer may start another event.
  private var saving = (failures: 0, notBeforeMilliseconds: Int64.min)

  private init(
    machine: SyncMachine, zone: String, backend: any SyncBackend, store: any ReplicaStore, clock: any SyncClock,
    onNotice: @escaping @Sendable (SyncMachine.Notice, SyncMachine) -> Void
  ) {
    self.machine = machine
    self.zone = zone
    self.backend = backend
    self.store = store
    self.clock = clock
    self.onNotice = onNotice
  }

  /// Opens the session of a device with the default settings.
  ///
  /// Reads the device's file. If the file is empty, creates a device whose identity starts with `device`. Throws a
  /// `ReplicaError` and leaves the file unchanged if it is damaged, from a newer version, or cannot be used. `onNotice`
  /// is called for each notice to the user.
  public static func open(
    device: String, zone: String, backend: any SyncBackend, store: any ReplicaStore,
    onNotice: @escaping @Sendable (SyncMachine.Notice) -> Void = { _ in }
  ) async throws(ReplicaError) -> SyncSession {
    try await open(
      device: device, zone: zone, backend: backend, store: store, clock: SystemClock(),
      onNotice: { notice, _ in onNotice(notice) })
  }

  /// Opens the session of a device with the given settings. `onNotice` also receives the machine's state at the time of
  /// the notice.
  @_disfavoredOverload
  package static func open(
    device: String, zone: String, backend: any SyncBackend, store: any ReplicaStore,
    settings: SyncSettings = SyncSettings(), limits: RequestBudget.Limits = RequestBudget.Limits(),
    clock: any SyncClock = SystemClock(), seed: UInt64 = .random(in: 0 ... .max),
    onNotice: @escaping @Sendable (SyncMachine.Notice, SyncMachine) -> Void = { _, _ in }
  ) async throws(ReplicaError) -> SyncSession {
    var replica: Replica
    if let saved = try Replica(stored: try await store.load(), limits: limits) {
      replica = saved
    } else {
      let identity = DeviceID(stem: device, random: UInt32(truncatingIfNeeded: seed ^ .random(in: 0 ... .max)))
      replica = Replica(device: identity, limits: limits)
    }
    try replica.join(zone: zone)
    let machine = SyncMachine(replica: replica, settings: settings, seed: seed)
    return SyncSession(
      machine: machine, zone: zone, backend: backend, store: store, clock: clock, onNotice: onNotice)
  }

  // MARK: Calls of the app

  /// Starts synchronization.
  public func start() async { _ = await give(.started) }

  /// Adds an action of the user. When the call returns, the action is saved and will not be lost (S32). Returns its
  /// position in the outbox for `SyncMachine.fate(of:)`.
  ///
  /// Throws a `ReplicaError` if the action exceeds a limit, violates a rule of its record or cannot be saved, or if the
  /// session has stopped. The action then has no effect.
  @discardableResult
  public func act(_ key: RecordKey, _ action: SyncMachine.Action) async throws(ReplicaError) -> [Int64] {
    try await give(.acted(key, action)).get()
  }

  /// Adds several actions of the user in one transaction: they are saved, sent, merged and shown together. Returns
  /// their positions in the outbox.
  ///
  /// Throws a `ReplicaError` if one of them exceeds a limit or violates a rule of its record, if they cannot be saved,
  /// or if the session has stopped. They then have no effect.
  @discardableResult
  public func act(_ actions: [(key: RecordKey, action: SyncMachine.Action)]) async throws(ReplicaError) -> [Int64] {
    try await give(.transacted(actions)).get()
  }

  /// Saves the rows of all records again. Used for a file whose tables have just been created.
  package func showAll() async throws(ReplicaError) {
    let rows = machine.allRows()
    if !rows.isEmpty { try await store.save(rows) }
  }

  /// Switches synchronization off or on.
  package func setOnline(_ isOnline: Bool) async { _ = await give(.switched(online: isOnline)) }

  /// Fetches the latest changes. Call it when the app comes to the foreground (S45).
  public func foreground() async { _ = await give(.foregrounded) }

  /// Continues after a person has fixed the cause of a pause, and queues all parked changes again.
  public func resume() async { _ = await give(.resumed) }

  /// Queues the parked change at this position again.
  public func retry(parked position: Int64) async { _ = await give(.retried(position: position)) }

  /// Discards the parked change at this position.
  public func discard(parked position: Int64) async { _ = await give(.discarded(position: position)) }

  /// Retires a device in the zone until it writes again.
  package func retire(_ device: DeviceID) async throws(ReplicaError) { _ = try await give(.retired(device)).get() }

  /// Waits until the machine satisfies a condition, the given time has passed, the task is cancelled or the session has
  /// stopped. Returns true if the condition is satisfied then.
  package func wait(
    milliseconds: Int64, until condition: @escaping @Sendable (SyncMachine) -> Bool
  ) async -> Bool {
    // While an event is being processed, the machine is ahead of the saved state.
    if !isDraining, condition(machine) { return true }
    if isStopped { return false }
    nextWaiter += 1
    let (number, clock) = (nextWaiter, clock)
    let deadline = clock.nowMilliseconds() + milliseconds
    let timeout = Task {
      try? await clock.sleep(untilMilliseconds: deadline)
      self.giveUp(number)
    }
    defer { timeout.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiters[number] = (condition, $0) }
    } onCancel: {
      Task { await self.giveUp(number) }
    }
  }

  /// The number of unprocessed events, for tests.
  package var waitingEvents: Int { queue.count }

  /// Returns the current state of synchronization.
  public func status() -> SyncStatus { machine.status(atMilliseconds: clock.nowMilliseconds()) }

  /// Releases the device's own file while the app is in the background. Returns once the file is released. Events and
  /// actions wait until ``reactivate()``.
  public func suspend() async {
    isSuspended = true
    if isDraining { await withCheckedContinuation { suspending.append($0) } }
    await store.suspend()
  }

  /// Locks the device's own file again when the app returns to the foreground, and fetches the latest changes.
  ///
  /// Throws a `ReplicaError` if another process uses the file or has changed it. The session then stops and writes
  /// nothing more; open a new one.
  public func reactivate() async throws(ReplicaError) {
    guard isSuspended, !isStopped else { return }
    do {
      try await store.reactivate()
    } catch {
      fileProblem = error
      onNotice(.failed(.storage("\(error)")), machine)
      stop()
      throw error
    }
    isSuspended = false
    deliver(.foregrounded)
  }

  /// Stops the session: cancels requests in flight, and refuses actions from now on. Unsent changes stay in the file.
  public func stop() {
    isStopped = true
    // The queue is processed once more, to refuse waiting actions.
    isSuspended = false
    drainSoon()
    for task in requests.values { task.cancel() }
    channel?.cancel()
    timer?.task.cancel()
    for waiter in waiters.values { waiter.done.resume(returning: waiter.condition(machine)) }
    waiters = [:]
  }

  // MARK: Events in, one at a time

  private func give(_ event: SyncMachine.Event) async -> Result<[Int64], ReplicaError> {
    await withCheckedContinuation { done in
      queue.append((event, done))
      drainSoon()
    }
  }

  private func deliver(_ event: SyncMachine.Event) {
    queue.append((event, nil))
    drainSoon()
  }

  private func drainSoon() {
    guard !isDraining, !isSuspended else { return }
    isDraining = true
    Task { await drain() }
  }

  private func drain() async {
    while !queue.isEmpty, !isSuspended {
      // Removing events one by one would each time move all later ones.
      var events = queue[...]
      queue = []
      while !isSuspended, let first = events.first {
        let together = first.event.isAct ? events.prefix(Self.actsAtOnce).prefix { $0.event.isAct } : events.prefix(1)
        events = events.dropFirst(together.count)
        await take(Array(together))
      }
      if isSuspended { queue = events + queue }
    }
    isDraining = false
    for caller in suspending { caller.resume() }
    suspending = []
    prepareToWait()
  }

  /// The maximum number of actions that are saved together, with one wait for the disk.
  private static let actsAtOnce = 200

  /// Processes one event or several actions. If saving fails, the machine is restored to its earlier state and no
  /// effect is performed.
  private func take(_ events: [Queued]) async {
    let before = machine
    var steps: [(effects: [SyncMachine.Effect], machine: SyncMachine)] = []
    var results: [Result<[Int64], ReplicaError>] = []
    var (changes, isDurable): ([StoreChange], Bool) = ([], false)
    for (event, _) in events {
      if let refusal = refusal(of: event) {
        results.append(.failure(refusal))
        continue
      }
      let effects = machine.handle(event, atMilliseconds: clock.nowMilliseconds())
      for case .save(let more) in effects { changes += more }
      isDurable = isDurable || Self.mustLast(event, effects)
      steps.append((effects, machine))
      results.append(.success(machine.acted))
    }
    do throws(ReplicaError) {
      if !changes.isEmpty {
        try await store.save(events.count == 1 ? changes : Self.latest(changes), isDurable: isDurable)
        saving = (0, .min)
      }
    } catch {
      machine = before
      // One of the events may be too large to save, so each one is saved separately.
      if events.count > 1 {
        for event in events { await take([event]) }
        return
      }
      waitAfterFailedSave()
      // For an action, the caller receives the error instead.
      if !events[0].event.isAct { onNotice(.failed(.storage("\(error)")), machine) }
      events[0].done?.resume(returning: .failure(error))
      return
    }
    for (effects, machine) in steps { for effect in effects { carryOut(effect, machine) } }
    for (event, result) in zip(events, results) { event.done?.resume(returning: result) }
  }

  /// Returns the reason why an event is refused, or nil if it is accepted.
  private func refusal(of event: SyncMachine.Event) -> ReplicaError? {
    if let fileProblem { return fileProblem }
    if isStopped { return .storage("synchronizing has stopped") }
    switch event {
    case .acted(let key, let action): return machine.refusal(of: action, on: key).map { .refused($0) }
    case .transacted(let actions): return machine.refusal(of: actions).map { .refused($0) }
    default: return nil
    }
  }

  /// Returns only the last change to each key.
  private static func latest(_ changes: [StoreChange]) -> [StoreChange] {
    var places: [String: Int] = [:]
    var latest: [StoreChange] = []
    for change in changes {
      if let place = places[change.key] {
        latest[place] = change
      } else {
        places[change.key] = latest.count
        latest.append(change)
      }
    }
    return latest
  }

  private func carryOut(_ effect: SyncMachine.Effect, _ machine: SyncMachine) {
    switch effect {
    case .save: break
    case .send(let number, let request): send(number, request, store: machine.replica.binding.store)
    case .openChannel(let number): openChannel(number, store: machine.replica.binding.store)
    case .closeChannel: channel?.cancel()
    case .tell(let notice): onNotice(notice, machine)
    }
  }

  /// True if the save must be durable before the effects are performed. Fetched data can be fetched again, so it must
  /// be durable only if a request depends on it. Actions must always be durable, together with everything saved before
  /// them.
  private static func mustLast(_ event: SyncMachine.Event, _ effects: [SyncMachine.Effect]) -> Bool {
    switch event {
    case .answered, .channelSigned: effects.contains { if case .send = $0 { true } else { false } }
    default: true
    }
  }

  /// Delays the next attempt after a failed save, at first by 1 s, then by increasing times up to 5 min.
  private func waitAfterFailedSave() {
    let pause = min(Int64(1000) << Int64(min(saving.failures, 10)), 300_000)
    saving = (saving.failures + 1, clock.nowMilliseconds() + pause)
  }

  private func prepareToWait() {
    for (number, waiter) in waiters where waiter.condition(machine) {
      waiters[number] = nil
      waiter.done.resume(returning: true)
    }
    startTimer()
  }

  private func startTimer() {
    guard !isStopped, let due = machine.nextWake(atMilliseconds: clock.nowMilliseconds()), due != .max else { return }
    let wake = max(due, saving.notBeforeMilliseconds)
    // A timer that fires earlier is kept and starts the next one, because a new timer for each request costs more.
    if let timer, timer.milliseconds <= wake { return }
    timer?.task.cancel()
    let clock = clock
    let task = Task {
      guard (try? await clock.sleep(untilMilliseconds: wake)) != nil else { return }
      self.fire(wake)
    }
    timer = (wake, task)
  }

  private func fire(_ wake: Int64) {
    guard timer?.milliseconds == wake else { return }
    timer = nil
    let now = clock.nowMilliseconds()
    if let due = machine.nextWake(atMilliseconds: now), max(due, saving.notBeforeMilliseconds) <= now {
      deliver(.woke)
    } else if !isDraining {
      startTimer()
    }
  }

  private func giveUp(_ number: Int) {
    guard let waiter = waiters.removeValue(forKey: number) else { return }
    waiter.done.resume(returning: waiter.condition(machine))
  }

  // MARK: Effects out

  private func send(_ number: Int, _ request: SyncMachine.Request, store: StoreIdentity?) {
    let (backend, zone, subscription) = (backend, zone, machine.settings.subscription)
    requests[number] = Task {
      let event: SyncMachine.Event
      do throws(BackendError) {
        switch request {
        case .commit(let operations, let heard):
          let reply = try await backend.commit(operations, zone: zone, heard: heard, store: store)
          event = .answered(number, .commit(reply))
        case .changes(let since, let limit, let bytes, let reader):
          let page = try await backend.changes(
            zone: zone, since: since, limit: limit, maximumBytes: bytes, reader: reader, of: subscription,
            store: store)
          event = .answered(number, .changes(page))
        }
      } catch {
        event = .failed(number, error)
      }
      self.finish(number, event)
    }
  }

  private func finish(_ number: Int, _ event: SyncMachine.Event) {
    requests[number] = nil
    deliver(event)
  }

  private func openChannel(_ number: Int, store: StoreIdentity?) {
    channel?.cancel()
    let (backend, zone, device) = (backend, zone, machine.replica.device)
    channel = Task {
      var ending = BackendError.unreachable("the channel was closed")
      do {
        for try await sign in backend.watch(zone: zone, device: device, store: store) {
          self.deliver(.channelSigned(number, sign))
        }
      } catch {
        ending = (error as? BackendError) ?? .unreachable("\(error)")
      }
      self.deliver(.channelClosed(number, ending))
    }
  }
}

extension SyncMachine.Event {
  /// True if the event is an action of the user.
  fileprivate var isAct: Bool {
    switch self {
    case .acted, .transacted: true
    default: false
    }
  }
}
