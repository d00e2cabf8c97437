import SyncCore

extension SyncMachine {
  /// Fails requests and closes channels whose deadline has passed.
  mutating func expire(_ now: Int64) {
    for flight in [push.inFlight, pull.inFlight].compactMap({ $0 }) where flight.deadlineMilliseconds <= now {
      fail(flight.number, .timedOut, now)
    }
    switch channel.state {
    case .opening(let deadline) where deadline <= now: closeChannel(channel.number, .timedOut, now)
    case .open(let sign) where sign + settings.channelSilenceMilliseconds <= now:
      closeChannel(channel.number, .timedOut, now)
    default: break
    }
  }

  /// Handles a request that failed as a whole.
  mutating func fail(_ number: Int, _ error: BackendError, _ now: Int64) {
    // The server did not respond and no channel is open, so the next connection may reach another store.
    if error.isWithoutAnswer, !channel.isOpen { isStoreConfirmed = false }
    if let flight = push.inFlight, flight.number == number {
      push.inFlight = nil
      failPush(flight, error, now)
    } else if let flight = pull.inFlight, flight.number == number {
      pull.inFlight = nil
      pull.isWanted = true
      failPull(error, now)
    }
  }

  private mutating func failPush(_ flight: SendLane.Flight, _ error: BackendError, _ now: Int64) {
    if case .otherStore(let store) = error { return meetOther(store, now) }
    switch error.remedy {
    case .split:
      let group = flight.operations.first?.group
      if group != nil, flight.operations.allSatisfy({ $0.group == group }) {
        for position in flight.positions { park(position, reason: "\(error)") }
      } else if flight.positions.count > 1 {
        pacing.batchLimit = flight.positions.count / 2
        retry(\.push, error, now, afterMilliseconds: nil)
      } else if let position = flight.positions.first {
        park(position, reason: "\(error)")
      }
    case .resynchronize:
      resynchronize()
      channel.notified = nil
    default:
      // The proxy rejects the size, not the content. A smaller request may pass.
      if case .tooLargeForProxy = error, flight.positions.count > 1 { pacing.batchLimit = flight.positions.count / 2 }
      failEither(\.push, error, now)
    }
  }

  private mutating func failPull(_ error: BackendError, _ now: Int64) {
    if case .otherStore(let store) = error { return meetOther(store, now) }
    switch error.remedy {
    case .resynchronize:
      resynchronize()
      channel.notified = nil
    case .split: pause(error, now)
    default: failEither(\.pull, error, now)
    }
  }

  private mutating func failEither(_ lane: WritableKeyPath<SyncMachine, SendLane>, _ error: BackendError, _ now: Int64)
  {
    switch error.remedy {
    case .queueOnly(let wait):
      degradation.isQuotaExceeded = true
      degradation.retryAfterMilliseconds = wait ?? 0
      degradation.probe(atMilliseconds: now)
      retry(lane, error, now, afterMilliseconds: wait)
    case .pause: pause(error, now)
    case .retry(let wait): retry(lane, error, now, afterMilliseconds: wait)
    case .split, .resynchronize: retry(lane, error, now, afterMilliseconds: nil)
    }
  }

  private mutating func retry(
    _ lane: WritableKeyPath<SyncMachine, SendLane>, _ error: BackendError, _ now: Int64, afterMilliseconds wait: Int64?
  ) {
    var backoff = self[keyPath: lane].backoff
    let delay = backoff.fail(retryAfterMilliseconds: wait, using: &generator)
    self[keyPath: lane].backoff = backoff
    self[keyPath: lane].pause = SyncPause(error, from: now, until: now + delay, askedUntil: wait.map { now + $0 })
    tell(.failed(error))
  }

  mutating func pause(_ error: BackendError, _ now: Int64) {
    pausedBecause = error
    halt = SyncPause(error, from: now, until: nil)
    dropChannel(now)
    tell(.paused(error))
  }

  /// Parks a change and notifies the user (F31).
  mutating func park(_ position: Int64, reason: String) {
    guard var item = replica.outbox[position: position],
      item.parkedBecause == nil || reason == Replica.deletedThere
    else { return }
    item.parkedBecause = SyncPause.shortened(reason)
    replica.replace(item)
    tell(.parked(item.key, reason: reason))
    guard item.key.type == ZoneRules.type else { return }
    // Changes made under the refused rules are parked, too.
    for other in replica.outbox.waiting where other.key.type == item.key.name {
      // The change may already be parked as part of a transaction.
      guard replica.outbox[position: other.position]?.parkedBecause == nil else { continue }
      for position in whole(other.position) { park(position, reason: reason) }
    }
  }

  /// Returns the current pause with its reason and end, or nil if requests are sent.
  func presentPause(_ now: Int64) -> SyncPause? {
    if let halt { return halt }
    let latest = [push.pause, pull.pause].compactMap { $0 }.max {
      ($0.untilMilliseconds ?? 0) < ($1.untilMilliseconds ?? 0)
    }
    guard degradation.level == .queueOnly else { return latest }
    let probe = degradation.nextProbeMilliseconds
    if degradation.isQuotaExceeded, var latest {
      latest.untilMilliseconds = max(probe, latest.untilMilliseconds ?? 0)
      return latest
    }
    let limits = replica.budget.limits
    return SyncPause(
      sinceMilliseconds: degradation.sinceMilliseconds, untilMilliseconds: probe, code: "budget-used",
      reason:
        "the budget of \(limits.requestsPerHour) requests an hour and \(limits.bytesPerDay) bytes a day is used up")
  }

  /// Handles a channel that has closed or could not be opened.
  mutating func closeChannel(_ number: Int, _ error: BackendError, _ now: Int64) {
    guard number == channel.number, channel.state != .closed else { return }
    dropChannel(now)
    if case .otherStore(let store) = error { return meetOther(store, now) }
    switch error.remedy {
    case .pause, .split: pause(error, now)
    case .queueOnly(let wait), .retry(let wait):
      let delay = channel.backoff.fail(retryAfterMilliseconds: wait, using: &generator)
      channel.notBeforeMilliseconds = now + delay
    case .resynchronize: channel.notBeforeMilliseconds = now
    }
  }

  mutating func dropChannel(_ now: Int64) {
    guard channel.state != .closed else { return }
    if channel.isOpen {
      channel.downSinceMilliseconds = now
      channel.polls = 0
      isStoreConfirmed = false
      tell(.channel(isUp: false))
    }
    channel.state = .closed
    effects.append(.closeChannel(channel.number))
  }
}
