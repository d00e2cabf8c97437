import SyncCore

extension SyncMachine {
  /// Handles the response to a request. Responses to abandoned requests are ignored. This is safe because every request
  /// can be repeated (M4).
  mutating func receive(_ answer: Answer, _ number: Int, _ now: Int64) {
    switch answer {
    case .commit(let reply):
      guard let flight = push.inFlight, flight.number == number else { return }
      push.inFlight = nil
      succeed(\.push, sentMilliseconds: flight.sentMilliseconds, reply.serverMilliseconds, now)
      receive(reply, flight, now)
    case .changes(let page):
      guard let flight = pull.inFlight, flight.number == number else { return }
      pull.inFlight = nil
      replica.spend(bytes: Self.bytes(of: page), atMilliseconds: now)
      guard meets(page.store, now) else { return }
      succeed(\.pull, sentMilliseconds: flight.sentMilliseconds, page.serverMilliseconds, now)
      receive(page, now)
      // A notification that arrived before this request is handled by this response. If it is of another incarnation,
      // or was damaged in transit, no cursor of the current incarnation would ever cover it.
      if !page.hasMore, channel.notified?.cursor == flight.notified { channel.notified = nil }
    }
  }

  private mutating func succeed(
    _ lane: WritableKeyPath<SyncMachine, SendLane>, sentMilliseconds sent: Int64, _ server: Int64, _ now: Int64
  ) {
    self[keyPath: lane].backoff.succeed()
    self[keyPath: lane].pause = nil
    degradation.isQuotaExceeded = false
    degradation.retryAfterMilliseconds = 0
    replica.count { $0.lastSuccessMilliseconds = now }
    measure(sentMilliseconds: sent, serverMilliseconds: server, now)
  }

  /// Measures the server's clock, assuming that the server read it half a round trip ago (M2).
  private mutating func measure(sentMilliseconds sent: Int64, serverMilliseconds server: Int64, _ now: Int64) {
    let roundTrip = max(0, now - sent)
    usualRoundTripMilliseconds = usualRoundTripMilliseconds.map { ($0 * 7 + roundTrip) / 8 } ?? roundTrip
    let skew = server + roundTrip / 2 - now
    let isSurprising = abs(skew - replica.skewMilliseconds) > roundTrip / 2 + 20
    guard !isSkewMeasured || isSurprising else { return }
    isSkewMeasured = true
    replica.measure(skewMilliseconds: skew)
  }

  // MARK: The channel

  mutating func receive(_ sign: ChannelSign, _ number: Int, _ now: Int64) {
    guard number == channel.number, channel.state != .closed else { return }
    let isFirst = !channel.isOpen
    if isFirst {
      tell(.channel(isUp: true))
      if let store = replica.binding.store, channel.store == store { confirm(store) }
      endPauses()
    }
    channel.state = .open(lastSignMilliseconds: now)
    channel.backoff.succeed()
    // The server was reachable all the time, but its store was not. Waiting changes can be sent now.
    if case .recovered = sign { endPauses() }
    if let cursor = sign.cursor {
      // If the server's position is before the position read here, the server was restored from a backup. The fetch
      // will then fail because the cursor has expired.
      if isFirst, let known = replica.cursor, known.generation == cursor.generation,
        cursor.sequence < known.sequence
      {
        pull.isWanted = true
      }
      let isNewer = channel.notified.map {
        $0.cursor.generation != cursor.generation || $0.cursor.sequence < cursor.sequence
      }
      if isNewer ?? true { channel.notified = (cursor, now) }
    }
    if case .changes(let page, since: let cursor) = sign { take(page, since: cursor, now) }
  }

  /// Applies changes from the channel without a fetch if they can follow directly on the position read so far: they
  /// come from the confirmed store, are complete and fit into the budget, and the device is online, has measured its
  /// clock's skew, and has nothing in flight, due, held, paused or staged. Otherwise, they only trigger a fetch, as a
  /// notification does. A device with a subscription always fetches, because the channel sends the changes of the whole
  /// zone.
  private mutating func take(_ page: ChangePage, since cursor: Cursor, _ now: Int64) {
    let bytes = Self.bytes(of: page)
    guard isStoreConfirmed, page.store == replica.binding.store, settings.subscription == nil, replica.cursor == cursor,
      !page.hasMore, isSkewMeasured,
      !replica.isResynchronizing, !isPushHeld, !isOffline, pausedBecause == nil, staged == nil, pull.inFlight == nil,
      !pull.isWanted, push.inFlight == nil,
      replica.budget.bytesLeft(atMilliseconds: now) >= bytes
    else { return }
    replica.spend(bytes: bytes, atMilliseconds: now)
    receive(page, now)
  }

  private static func bytes(of page: ChangePage) -> Int {
    let mentioned = page.others.reduce(16) { $0 + $1.key.type.utf8.count + $1.key.name.utf8.count }
    return page.records.reduce(mentioned) { $0 + $1.cell.packedBytes }
  }

  /// Ends the pauses when the server is reachable again, except those that the server requested. The count of failures
  /// is kept, so that if the channel opens but requests fail, each opening allows only one attempt.
  private mutating func endPauses() {
    if degradation.isQuotaExceeded { return }
    for lane in [\SyncMachine.push, \SyncMachine.pull] {
      self[keyPath: lane].pause = self[keyPath: lane].pause?.askedByServer
    }
  }

  // MARK: Changes

  private mutating func receive(_ answered: ChangePage, _ now: Int64) {
    if isOvertaken(by: answered) { return }
    guard let page = staging(answered), adopts(page, now) else { return }
    if !replica.isResynchronizing {
      for record in page.records where lacksWhatIsKnown(record) { return resynchronize() }
    }
    renewIdentity(impersonatedBy: page.records)
    let unknown = unknownRecords(page)
    for record in page.records {
      adopt(record)
      acknowledgeWhatIsKnown(in: record)
    }
    for mention in page.others { replica.note(mention) }
    // This device forgets the same deletions as the zone.
    begin(takeMissing(unknown).union(forget(page.dropped)))
    for key in unknown { beginUnseen(key) }
    if replica.cursor.map({ $0.generation != page.cursor.generation || $0.sequence < page.cursor.sequence }) ?? true {
      replica.move(to: page.cursor)
    }
    pull.isWanted = pull.isWanted || page.hasMore
    if !page.hasMore {
      isPushHeld = false
      completedPulls += 1
      heardPull = begunPulls
      replica.count { $0.lastHeardMilliseconds = now }
    }
    if replica.isResynchronizing, !page.hasMore { requeueLost() }
  }

  private mutating func renewIdentity(impersonatedBy records: [SyncRecord], isCertain: Bool = false) {
    guard isCertain || records.contains(where: { replica.isImpersonated(by: $0) }) else { return }
    incarnation = max(1, generator.next())
    replica.takeNewIdentity(random: UInt32(truncatingIfNeeded: generator.next()), incarnation: incarnation)
    (pull.isWanted, pull.inFlight) = (true, nil)
    tell(.renamed(replica.device))
  }

  /// Removes waiting changes that the zone already has. Either the response was lost or another copy of the file has
  /// sent them.
  private mutating func acknowledgeWhatIsKnown(in record: SyncRecord) {
    let flying = push.inFlight?.positions ?? []
    let known = replica.outbox.items(for: record.key).filter { item in
      guard let write = item.write, item.parkedBecause == nil, !flying.contains(item.position) else { return false }
      return replica.isKnown(write, in: record)
    }
    for item in known {
      replica.remove(position: item.position)
      replica.count { $0.acknowledged += 1 }
      tell(.acknowledged(item.key, version: record.version))
    }
  }

  /// True if a later version of a record lacks confirmed content. The server was then restored from an old copy (V23).
  private func lacksWhatIsKnown(_ record: SyncRecord) -> Bool {
    guard let known = replica.confirmed[record.key], !replica.unconfirmed.contains(record.key),
      !replica.isGivingBack(record.key)
    else { return false }
    // A record that was forgotten and created again contains nothing from its earlier incarnations.
    if record.cell.origin > known.cell.content.incarnation { return false }
    return record.sequence > known.sequence && !record.cell.context.includes(known.cell.context)
  }

  /// Stores a record from the server unless the known one is newer. If a restored server lacks known content, the
  /// content is merged and queued to be returned, even if another device has already returned some of it.
  private mutating func adopt(_ record: SyncRecord) {
    let known = replica.confirmed[record.key]
    let isNewIncarnation =
      known.map { $0.cell.isRecord && record.cell.content.incarnation > $0.cell.content.incarnation } ?? false
    if let known, known.cell.isRecord, record.cell.origin > known.cell.content.incarnation {
      // The old record has been forgotten. This is a new record with the same key.
      forget(record.key)
      confirm(record)
      begin([record.key])
    } else if let known, !isNewIncarnation,
      replica.unconfirmed.contains(record.key) || replica.isGivingBack(record.key)
    {
      let joined = Cell.join(known.cell, record.cell, windowMilliseconds: window(of: record.key))
      if joined != record.cell { enqueueJoin(joined, for: record.key) }
      confirm(SyncRecord(key: record.key, version: record.version, sequence: record.sequence, cell: joined))
    } else if known.map({ isNewIncarnation || record.version > $0.version || record.sequence > $0.sequence }) ?? true {
      confirm(record)
    }
  }

  /// Queues all records that the server has lost, so that they are returned to it (V23). Records that the zone has
  /// forgotten are removed instead.
  private mutating func requeueLost() {
    for key in replica.unconfirmed.sorted() {
      guard let known = replica.confirmed[key] else { continue }
      if known.cell.isRecord, known.cell.content.incarnation < replica.dropped.incarnation {
        if replica.mayBeOutside(key) {
          // The record was either forgotten or has left the subscription. Only the response to a later change can show
          // which.
          replica.confirm(SyncRecord(key: key, version: 0, sequence: 0, cell: known.cell))
          replica.leave(key)
          continue
        }
        forget(key)
        begin([key])
        continue
      }
      enqueueJoin(known.cell, for: key)
      replica.confirm(SyncRecord(key: key, version: 0, sequence: 0, cell: known.cell))
    }
    replica.endResynchronizing()
  }

  private mutating func enqueueJoin(_ cell: Cell, for key: RecordKey) {
    var cell = cell
    // A cell may already be queued if the zone was restored more than once.
    for item in replica.outbox.items(for: key) where item.parkedBecause == nil {
      guard case .join(let other) = item.change else { continue }
      cell = Cell.join(cell, other, windowMilliseconds: window(of: key))
    }
    replica.giveBack(cell, for: key, queuedMilliseconds: pacing.lastPollMilliseconds)
  }

  // MARK: Commits

  private mutating func receive(_ reply: CommitReply, _ flight: SendLane.Flight, _ now: Int64) {
    guard reply.results.count == flight.operations.count else {
      fail(flight.number, .invalid("\(reply.results.count) results for \(flight.operations.count) operations"), now)
      return
    }
    var hasConflict = false
    // The last sequence number read without a gap. The response contains the tag of its last change only.
    var reached = replica.cursor.flatMap { $0.generation == reply.generation ? $0.sequence : nil }
    for (index, result) in reply.results.enumerated() {
      let (position, operation) = (flight.positions[index], flight.operations[index])
      switch result {
      case .committed(let version, let sequence, let stamp):
        committed(operation, position, (version, sequence), stamp, &reached)
      case .unchanged:
        // The response to an earlier attempt was lost, and its result has not been fetched yet.
        if case .write(let write) = operation.change, operation.isOfCollection,
          replica.confirmed[operation.key]?.cell.context.covers(write.dot) != true
        {
          committed(operation, position, nil, nil, &reached)
        } else {
          acknowledge(operation.key, position, version: operation.expectedVersion)
        }
      case .conflict(let record):
        hasConflict = conflicted(operation, position, record, now) || hasConflict
      case .refused(.mayBeCounted) where isOfThisOpening(position): forked(position)
      case .refused(let refusal): park(position, reason: "\(refusal)")
      }
    }
    if !replica.isResynchronizing {
      if reached == reply.cursor.sequence { replica.move(to: reply.cursor) }
      replica.hear(reply.cursor)
    }
    if hasConflict {
      pacing.conflictsInARow += 1
      if pacing.conflictsInARow > Pacing.conflictLimit {
        let delay = push.backoff.fail(using: &generator)
        push.pause = SyncPause(
          sinceMilliseconds: now, untilMilliseconds: now + delay, code: "conflicts",
          reason: "other devices change the same records all the time")
      }
    } else {
      pacing.conflictsInARow = 0
      pacing.batchLimit = min(pacing.batchLimit * 2, SyncLimits.operations)
    }
  }

  /// Handles an operation that the zone has committed. `place` contains the record's version and sequence number, or is
  /// nil if they are unknown.
  private mutating func committed(
    _ operation: RecordOperation, _ position: Int64, _ place: (version: Int64, sequence: Int64)?, _ stamp: Stamp?,
    _ reached: inout Int64?
  ) {
    replica.keepView(of: operation.key, windowMilliseconds: window(of: operation.key))
    let before = view(of: operation.key)
    let known = replica.confirmed[operation.key]
    let follows = place.map { place in reached.map { $0 + 1 == place.sequence } ?? false } ?? false
    // A deleted record may have been forgotten and created again with new versions. It is then certain only that the
    // new record contains this write.
    let mayBeAnother = !follows && known.map { operation.beginsAnew($0) } ?? false
    if let cell = result(of: operation, on: mayBeAnother ? Cell() : known?.cell ?? Cell(), stamp) {
      let next = mayBeAnother || known?.version ?? 0 != operation.expectedVersion ? nil : place
      // If the server has a version other than the known one, record that it contains this write, and fetch the record.
      let record = SyncRecord(
        key: operation.key, version: next?.version ?? known?.version ?? 0,
        sequence: next?.sequence ?? known?.sequence ?? 0, cell: cell)
      replica.settle(position, as: record, isAsShown: next != nil && operation.bears(stamp))
      // This change directly follows the last one read, so it need not be fetched.
      if let next, follows { reached = next.sequence }
    } else {
      replica.remove(position: position)
    }
    let version = replica.confirmed[operation.key]?.version ?? 0
    if place.map({ version < $0.version }) ?? true { pull.isWanted = true }
    replica.count { $0.acknowledged += 1 }
    tell(.acknowledged(operation.key, version: place?.version ?? operation.expectedVersion))
    noteChange(of: operation.key, since: before)
  }

  /// Returns the server's cell after an operation. Returns nil for a merge, whose result is known only to the server.
  private func result(of operation: RecordOperation, on known: Cell, _ stamp: Stamp?) -> Cell? {
    var cell = known
    switch operation.change {
    case .write(let write):
      cell.apply(
        write.restamped(stamp ?? write.stamp), check: write.check, windowMilliseconds: window(of: operation.key))
    case .retire(let device): _ = cell.retire(device)
    case .join: return nil
    }
    return cell
  }

  /// Handles an operation that is in conflict. Returns true if it must be sent again under the same name.
  private mutating func conflicted(
    _ operation: RecordOperation, _ position: Int64, _ record: SyncRecord?, _ now: Int64
  ) -> Bool {
    // The expected version includes earlier writes of the same request, which were not committed either.
    let base = min(operation.expectedVersion, replica.confirmed[operation.key]?.version ?? 0)
    // Another operation of the transaction was in conflict, or the zone has forgotten the record. Otherwise, the zone
    // has lost the record or never had it, which the next fetch will show.
    let isFirst = base == 0 || pacing.conflictsInARow == 0
    if record == nil, isFirst, operation.isOfCollection {
      (isPushHeld, pull.isWanted) = (true, true)
      noteMissing(operation.key)
      return true
    }
    guard let record, record.version >= base, !lacksWhatIsKnown(record) else {
      // The server has lost data. The device fetches the whole zone and returns what is missing.
      if !replica.isResynchronizing { resynchronize() }
      return true
    }
    replica.spend(bytes: record.cell.packedBytes, atMilliseconds: now)
    let isPast = replica.cursor.map { record.sequence <= $0.sequence } ?? false
    if case .write(let write) = operation.change, replica.isKnown(write, in: record) {
      // The write was committed, but the response was lost.
      if operation.isOfCollection, !isPast, replica.isWanted(record) {
        // Later changes may belong to a transaction, which only a fetch returns as a whole. If the fetch does not
        // contain this write, the write is sent again, which has no effect.
        (isPushHeld, pull.isWanted) = (true, true)
        guard replica.confirmed[record.key]?.cell.context.covers(write.dot) == true else { return true }
      } else if replica.confirmed[record.key].map({ record.version > $0.version }) ?? true {
        confirm(record)
      }
      acknowledge(operation.key, position, version: record.version)
      renewIdentity(impersonatedBy: [record])
      return false
    }
    // The expected version is correct, so the number belongs to another act, and this act has not been counted.
    if case .write(let write) = operation.change, record.version == operation.expectedVersion,
      record.cell.context.covers(write.dot)
    {
      renewIdentity(impersonatedBy: [], isCertain: write.dot.device == replica.device)
      forked(position)
      return false
    }
    renewIdentity(impersonatedBy: [record])
    let isUnknown = isPast && replica.confirmed[record.key] == nil
    // For a record outside the subscription, a fetch returns only the key.
    let isUnheard = isPast && replica.mayBeOutside(record.key)
    if operation.isOfCollection, !isUnknown, !isUnheard {
      // The record may be part of a transaction, which only a fetch returns as a whole.
      (isPushHeld, pull.isWanted) = (true, true)
      return true
    }
    let isUnseen = replica.confirmed[record.key] == nil
    adopt(record)
    if isUnseen { beginUnseen(record.key) }
    return true
  }

  private func isOfThisOpening(_ position: Int64) -> Bool {
    replica.outbox[position: position]?.write?.incarnation == incarnation
  }

  /// Handles an act whose number was also used by another copy of this file.
  private mutating func forked(_ position: Int64) {
    guard let key = replica.outbox[position: position]?.key else { return }
    replica.fork(position)
    // The zone seemed to have this act, but has a different one with the same number.
    begin([key])
  }

  private mutating func acknowledge(_ key: RecordKey, _ position: Int64, version: Int64) {
    let before = view(of: key)
    replica.remove(position: position)
    replica.count { $0.acknowledged += 1 }
    tell(.acknowledged(key, version: version))
    noteChange(of: key, since: before)
  }

  // MARK: Changes and notices for the user

  private mutating func confirm(_ record: SyncRecord) {
    let before = view(of: record.key)
    let known = replica.confirmed[record.key].flatMap { RecordLimits.problem(withValuesOf: $0.cell) }
    if let problem = RecordLimits.problem(withValuesOf: record.cell), problem != known {
      tell(.notShown(record.key, reason: problem))
    }
    replica.confirm(record)
    noteChange(of: record.key, since: before)
  }

  /// Reports a record whose content has changed, with the deciding rule, and counts the rule.
  private mutating func noteChange(of key: RecordKey, since before: Cell) {
    tellRecord(key, before, isRemote: true)
    let after = view(of: key)
    guard before != after else { return }
    var rule: ConflictRule?
    let decide = decide(of: key)
    if let previous = before.reading(by: decide)?.winner {
      let hasNews = after.entries.contains { entry in !before.entries.contains { $0.dot == entry.dot } }
      // Other devices cannot have seen a state that was never sent, so it was not replaced knowingly.
      let isSeen = replica.confirmed[key]?.cell.context.covers(previous.dot) ?? false
      if hasNews { rule = after.resolution(replacing: previous, isSeen: isSeen, by: decide) }
      if let rule { replica.count { $0.conflicts[rule, default: 0] += 1 } }
      let isSameState = after.reading(by: decide)?.winner.dot == previous.dot
      if !hasNews, isSameState, before.content.parts == after.content.parts, before.fields == after.fields { return }
    }
    tell(.changed(key, remote: true, rule: rule))
  }
}

extension RecordOperation {
  /// True if the operation is a write that was sent with this stamp.
  fileprivate func bears(_ stamp: Stamp?) -> Bool {
    guard case .write(let write) = change, let stamp else { return false }
    return write.milliseconds == stamp.milliseconds && write.counter == stamp.counter
  }

  /// True if the operation starts a later incarnation of the record than the last known one.
  fileprivate func beginsAnew(_ known: SyncRecord) -> Bool {
    guard case .write(let write) = change, let record = write.record else { return false }
    return known.cell.isRecord && record.incarnation > known.cell.content.incarnation
  }
}
