import SyncCore

extension SyncMachine {
  /// The number of bytes reserved for the response to a request.
  private static let answerBytes = 16_896

  /// Returns the time at which the machine must receive the event `.woke`, or nil if it need not receive it. The time
  /// may be in the past.
  package func nextWake(atMilliseconds now: Int64) -> Int64? {
    guard isStarted else { return nil }
    var times = [push.inFlight, pull.inFlight].compactMap { $0?.deadlineMilliseconds }
    switch channel.state {
    case .opening(let deadline): times.append(deadline)
    case .open(let sign): times.append(sign + settings.channelSilenceMilliseconds)
    case .closed: break
    }
    if pausedBecause == nil, !isOffline {
      times += [pushDue(now), pullDue(now), channelDue(now), degradation.nextChange(atMilliseconds: now)]
        .compactMap { $0 }
    }
    return times.min()
  }

  /// Fails requests that have timed out, updates the level of service, and sends all requests that are due. Called
  /// after every event.
  mutating func pump(_ now: Int64) {
    expire(now)
    let isExhausted = replica.budget.permitted(.push, bytes: Self.answerBytes, atMilliseconds: now) > now
    let share = replica.budget.usedShare(atMilliseconds: now)
    if degradation.update(usedShare: share, isExhausted: isExhausted, atMilliseconds: now) {
      tell(.level(degradation.level))
    }
    guard pausedBecause == nil, !isOffline else { return }
    if let due = pushDue(now), due <= now { sendCommit(now) }
    if let due = pullDue(now), due <= now { sendChanges(now) }
    if let due = channelDue(now), due <= now { openChannel(now) }
  }

  // MARK: Pushing (L1)

  private func pushDue(_ now: Int64) -> Int64? {
    guard push.inFlight == nil, isSkewMeasured, isStoreConfirmed, !replica.isResynchronizing, !isPushHeld else {
      return nil
    }
    // Without a received cursor, the device cannot check that the zone still has everything that it acknowledged.
    if replica.heard == nil, !replica.confirmed.isEmpty { return nil }
    // A closure is used because passing the method itself would copy the machine.
    guard let first = replica.outbox.firstWaiting(where: { maySend($0) }) else { return nil }
    var due = max(gathered(), push.notBeforeMilliseconds)
    if degradation.level == .queueOnly { due = max(due, degradation.nextProbeMilliseconds) }
    let needed = first.packedBytes + Self.answerBytes
    return max(due, replica.budget.permitted(.push, bytes: needed, atMilliseconds: now))
  }

  /// Returns the time when gathered actions are sent. After a pause, an action is sent immediately. Shortly after a
  /// push, actions are gathered until no more follow or the limit is reached.
  private func gathered() -> Int64 {
    guard let since = pacing.waitingSinceMilliseconds else { return 0 }
    let rested = pacing.lastPushMilliseconds + settings.gatherMilliseconds
    if rested <= since { return since }
    let end = min(
      pacing.lastActionMilliseconds + settings.gatherMilliseconds, since + settings.gatherLimitMilliseconds)
    return max(rested, end)
  }

  private mutating func sendCommit(_ now: Int64) {
    let items = batch()
    var before: [RecordKey: Int64] = [:]
    let operations = items.map { item in
      // Each write to a record expects the version that results from the previous write to that record.
      defer { before[item.key, default: 0] += 1 }
      let version = (replica.confirmed[item.key]?.version ?? 0) + before[item.key, default: 0]
      return RecordOperation(key: item.key, expectedVersion: version, change: item.change, group: item.group)
    }
    if operations.isEmpty { return }
    var flight = flight(push, .push, now)
    flight.positions = items.map(\.position)
    flight.operations = operations
    push.inFlight = flight
    for var item in items where !item.wasSent {
      item.wasSent = true
      replica.replace(item)
    }
    pacing.lastPushMilliseconds = now
    pacing.waitingSinceMilliseconds = nil
    let bytes = items.reduce(replica.heard == nil ? 0 : Cursor.packedBytes) { $0 + $1.packedBytes }
    replica.spend(sentBytes: bytes, atMilliseconds: now)
    effects.append(.send(flight.number, .commit(operations, heard: replica.heard)))
  }

  // MARK: Pulling (L2, L3)

  private func pullDue(_ now: Int64) -> Int64? {
    guard pull.inFlight == nil else { return nil }
    // Waiting changes must not be sent before the store has been compared.
    let isWanted = pull.isWanted || !isStoreConfirmed && !channel.willCompare(replica.binding.store) && hasSendable
    var due = isWanted ? 0 : pacing.lastPollMilliseconds + pollInterval
    if let notified = channel.notified, isAhead(notified.cursor) {
      let hold = push.inFlight == nil ? 0 : Pacing.echoMilliseconds
      due = min(due, notified.atMilliseconds + hold)
    }
    due = max(due, pull.notBeforeMilliseconds)
    // A device whose server quota is exhausted still fetches from time to time.
    if degradation.level == .queueOnly, degradation.isQuotaExceeded {
      if isSkewMeasured, isStoreConfirmed, !replica.isResynchronizing, hasSendable { return nil }
      due = max(due, degradation.nextProbeMilliseconds)
    }
    if goesOnFirstFetch { return due }
    let needed = replica.isFirstFetch ? 0 : Self.answerBytes
    return max(due, replica.budget.permitted(pullPurpose, bytes: needed, atMilliseconds: now))
  }

  /// True if the next request continues the device's first fetch of the zone, which does not use the budget. If no page
  /// has arrived since the last request, the next request counts, so that a failing server does not get unlimited
  /// requests.
  private var goesOnFirstFetch: Bool { replica.isFirstFetch && (staged?.pages.count ?? 0) > freePages }

  /// The purpose of the next pull. Before a push, the server's time must be known and the store must have been
  /// compared. A pull that is needed for this counts as part of the push.
  private var pullPurpose: RequestBudget.Purpose {
    if isSkewMeasured, isStoreConfirmed { return .other }
    return hasSendable ? .push : .other
  }

  private var hasSendable: Bool { replica.outbox.firstWaiting(where: { maySend($0) }) != nil }

  /// Notifies the user once when the budget begins to delay changes made on other devices.
  mutating func noteStaleness(_ now: Int64) {
    guard let until = staleUntil(now) else {
      isStale = false
      return
    }
    if !isStale { tell(.stale(untilMilliseconds: until)) }
    isStale = true
  }

  /// Returns the end of the delay that the budget imposes on changes made on other devices. Returns nil if there is no
  /// delay, or if it is too short to be reported.
  func staleUntil(_ now: Int64) -> Int64? {
    guard pausedBecause == nil, !isOffline, let notified = channel.notified, isAhead(notified.cursor),
      let due = pullDue(now), due > now + Self.stalenessMilliseconds,
      replica.budget.permitted(pullPurpose, bytes: Self.answerBytes, atMilliseconds: now) == due
    else { return nil }
    return due
  }

  /// The maximum delay in milliseconds that is not reported.
  private static let stalenessMilliseconds: Int64 = 2000

  private var pollInterval: Int64 {
    let interval =
      channel.isOpen
      ? settings.pollHealthyMilliseconds
      : channel.polls < settings.quickPolls ? settings.pollDownMilliseconds : settings.pollLongDownMilliseconds
    return degradation.level == .normal ? interval : interval * 2
  }

  /// True if a notified cursor has not been reached yet.
  private func isAhead(_ notified: Cursor) -> Bool {
    guard let cursor = replica.cursor else { return true }
    return notified.generation != cursor.generation || notified.sequence > cursor.sequence
  }

  private mutating func sendChanges(_ now: Int64) {
    var flight = flight(pull, pullPurpose, isOfFirstFetch: goesOnFirstFetch, now)
    flight.notified = channel.notified?.cursor
    freePages = staged?.pages.count ?? 0
    if !channel.isOpen, !pull.isWanted { channel.polls += 1 }
    if staged == nil { begunPulls += 1 }
    pull.isWanted = false
    pull.inFlight = flight
    pacing.lastPollMilliseconds = now
    let left = replica.isFirstFetch ? Int.max : replica.budget.bytesLeft(atMilliseconds: now)
    let bytes = min(settings.pageBytes, left)
    let cursor = if let staged { staged.cursor } else { replica.cursor }
    effects.append(
      .send(
        flight.number,
        .changes(
          since: cursor, limit: settings.pageRecords, maximumBytes: bytes,
          reader: .device(replica.device, heard: replica.heard))))
  }

  // MARK: The channel

  private func channelDue(_ now: Int64) -> Int64? {
    guard settings.usesChannel, channel.state == .closed, degradation.level < .queueOnly else { return nil }
    return max(
      channel.notBeforeMilliseconds, replica.budget.permitted(.other, bytes: 0, atMilliseconds: now))
  }

  private mutating func openChannel(_ now: Int64) {
    channel.number = nextRequest
    nextRequest += 1
    channel.store = replica.binding.store
    channel.state = .opening(deadlineMilliseconds: now + settings.requestTimeoutMilliseconds)
    replica.spendRequest(.other, atMilliseconds: now)
    effects.append(.openChannel(channel.number))
  }

  private mutating func flight(
    _ lane: SendLane, _ purpose: RequestBudget.Purpose, isOfFirstFetch: Bool = false, _ now: Int64
  ) -> SendLane.Flight {
    defer { nextRequest += 1 }
    replica.spendRequest(purpose, isOfFirstFetch: isOfFirstFetch, atMilliseconds: now)
    if degradation.level == .queueOnly, purpose == .push || degradation.isQuotaExceeded {
      degradation.probe(atMilliseconds: now)
    }
    return SendLane.Flight(
      number: nextRequest, sentMilliseconds: now,
      deadlineMilliseconds: now + timeout(lane))
  }

  /// Returns the timeout of a request in milliseconds. A request that takes much longer than earlier ones is probably
  /// lost, so the timeout starts short and doubles with each failure.
  private func timeout(_ lane: SendLane) -> Int64 {
    let most = settings.requestTimeoutMilliseconds
    guard let usual = usualRoundTripMilliseconds else { return most }
    return min(most, max(settings.shortestTimeoutMilliseconds, 6 * usual) << Int64(min(lane.backoff.failures, 8)))
  }
}
