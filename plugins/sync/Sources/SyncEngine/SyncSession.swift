import SyncCore

/// A running device: carries out what its machine says against a real backend, a real file and a real clock.
///
/// ```swift
/// let session = try await SyncSession.open(
///   device: "mac", zone: "PomodoroZone", backend: backend, store: store)
/// await session.start()
/// try await session.act(Pomodoro.timer, .edit(TimerState(kind: .focus).edit()))
/// ```
public actor SyncSession {
  /// The machine as it is; read it for views and the status.
  public private(set) var machine: SyncMachine
  private let zone: String
  private let backend: any SyncBackend
  private let store: any ReplicaStore
  private let clock: any SyncClock
  private let onNotice: @Sendable (SyncMachine.Notice, SyncMachine) -> Void

  /// An event, and who waits until it has been taken in.
  private typealias Queued = (
    event: SyncMachine.Event, done: CheckedContinuation<Result<[Int64], ReplicaError>, Never>?
  )

  private var queue: [Queued] = []
  private var isDraining = false
  private var isStopped = false
  private var isSuspended = false
  /// Callers that wait until the event that is being taken in is saved.
  private var suspending: [CheckedContinuation<Void, Never>] = []
  /// The reason why the device's own file is lost to this session; nil while it has the file.
  package private(set) var fileProblem: ReplicaError?
  private var requests: [Int: Task<Void, Never>] = [:]
  private var channel: Task<Void, Never>?
  private var timer: (milliseconds: Int64, task: Task<Void, Never>)?
  private var waiters: [Int: (condition: @Sendable (SyncMachine) -> Bool, done: CheckedContinuation<Bool, Never>)] = [:]
  private var nextWaiter = 0
  /// How often in a row the file could not be written, and until when nothing is begun again because of that.
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

  /// Reads the device's file, or begins one for a device whose identity starts with `device`.
  ///
  /// Throws a `ReplicaError` when the file is damaged, from a newer version, or cannot be used; it is left untouched.
  /// `onNotice` is called on the session for everything that is reported to the user, with the machine as it then is.
  public static func open(
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

  // MARK: What the app does

  /// Begins to synchronize.
  public func start() async { _ = await give(.started) }

  /// Takes an action of the user in; when this returns it is saved and will not be lost (S32). Gives where it is in the
  /// outbox: `SyncMachine.fate(of:)` says what happens to it.
  ///
  /// Throws a `ReplicaError` when it breaks a limit or could not be saved: then nothing has happened.
  @discardableResult
  public func act(_ key: RecordKey, _ action: SyncMachine.Action) async throws(ReplicaError) -> [Int64] {
    try await give(.acted(key, action)).get()
  }

  /// Takes several actions of the user in, all or none: they are saved, sent, merged and shown together. Gives where they
  /// are in the outbox.
  ///
  /// Throws a `ReplicaError` when one of them breaks a limit or they could not be saved: then nothing has happened.
  @discardableResult
  public func act(_ actions: [(key: RecordKey, action: SyncMachine.Action)]) async throws(ReplicaError) -> [Int64] {
    try await give(.transacted(actions)).get()
  }

  /// Saves the rows of all records again, for a file whose tables have just been made.
  public func showAll() async throws(ReplicaError) {
    let rows = machine.allRows()
    if !rows.isEmpty { try await store.save(rows) }
  }

  /// Switches synchronizing off or on.
  public func setOnline(_ isOnline: Bool) async { _ = await give(.switched(online: isOnline)) }

  /// Fetches once, as when the app comes to the foreground (S45).
  public func foreground() async { _ = await give(.foregrounded) }

  /// Continues after a person has fixed what had paused it, and attempts parked changes again.
  public func resume() async { _ = await give(.resumed) }

  /// Tries a change again that was parked, by its position.
  public func retry(parked position: Int64) async { _ = await give(.retried(position: position)) }

  /// Gives a change up that was parked, by its position.
  public func discard(parked position: Int64) async { _ = await give(.discarded(position: position)) }

  /// Removes a device from the zone until it writes again.
  public func retire(_ device: DeviceID) async throws(ReplicaError) { _ = try await give(.retired(device)).get() }

  /// Waits until the machine is as wanted; false when that takes longer than allowed, or the session stops.
  public func wait(
    milliseconds: Int64, until condition: @escaping @Sendable (SyncMachine) -> Bool
  ) async -> Bool {
    // While an event is being taken in, the machine is ahead of what has been saved.
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

  /// The number of events that have come and are not being taken in yet, for a test.
  package var waitingEvents: Int { queue.count }

  /// The state of synchronization.
  public func status() -> SyncStatus { machine.status(atMilliseconds: clock.nowMilliseconds()) }

  /// Releases the device's own file while the app is in the background, and returns when that is done. Events and actions wait
  /// until ``reactivate()``.
  public func suspend() async {
    isSuspended = true
    if isDraining { await withCheckedContinuation { suspending.append($0) } }
    await store.suspend()
  }

  /// Takes the device's own file again when the app comes to the front, and fetches once.
  ///
  /// Throws a `ReplicaError` if another process has the file, or has had it meanwhile. The session has stopped then and
  /// writes nothing more: open another one.
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

  /// Ends everything that is under way. What has not been sent stays in the file.
  public func stop() {
    isStopped = true
    // Actions that wait are refused now.
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
      // Taking them out one by one would move all that are behind each time.
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

  /// The number of acts that are saved together if they come at the same time, with one wait for the disk.
  private static let actsAtOnce = 200

  /// Takes an event in, or several acts. What cannot be saved has not happened: the machine goes back, and nothing that rests
  /// on it is sent.
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
      // One of several may be what does not fit.
      if events.count > 1 {
        for event in events { await take([event]) }
        return
      }
      waitAfterFailedSave()
      // The error itself tells the caller.
      if !events[0].event.isAct { onNotice(.failed(.storage("\(error)")), machine) }
      events[0].done?.resume(returning: .failure(error))
      return
    }
    for (effects, machine) in steps { for effect in effects { carryOut(effect, machine) } }
    for (event, result) in zip(events, results) { event.done?.resume(returning: result) }
  }

  /// Why an event cannot be taken in; nil when it can.
  private func refusal(of event: SyncMachine.Event) -> ReplicaError? {
    if let fileProblem { return fileProblem }
    if isStopped { return .storage("synchronizing has stopped") }
    switch event {
    case .acted(let key, let action): return machine.refusal(of: action, on: key).map { .refused($0) }
    case .transacted(let actions): return machine.refusal(of: actions).map { .refused($0) }
    default: return nil
    }
  }

  /// Of several changes of one key the last one.
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

  /// What has been heard can be heard again: it waits for the disk only where something goes out that rests on it. An action
  /// always does, and all before it with it.
  private static func mustLast(_ event: SyncMachine.Event, _ effects: [SyncMachine.Effect]) -> Bool {
    switch event {
    case .answered, .channelSigned: effects.contains { if case .send = $0 { true } else { false } }
    default: true
    }
  }

  /// What is due stays due when it could not be saved: it is tried again after 1 s, then ever later, up to 5 min.
  private func waitAfterFailedSave() {
    let pause = min(Int64(1000) << Int64(min(saving.failures, 10)), 300_000)
    saving = (saving.failures + 1, clock.nowMilliseconds() + pause)
  }

  private func prepareToWait() {
    for (number, waiter) in waiters where waiter.condition(machine) {
      waiters[number] = nil
      waiter.done.resume(returning: true)
    }
    guard !isStopped, let due = machine.nextWake(atMilliseconds: clock.nowMilliseconds()), due != .max else { return }
    let wake = max(due, saving.notBeforeMilliseconds)
    guard timer?.milliseconds != wake else { return }
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
    deliver(.woke)
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
  /// Whether the user did something.
  fileprivate var isAct: Bool {
    switch self {
    case .acted, .transacted: true
    default: false
    }
  }
}
