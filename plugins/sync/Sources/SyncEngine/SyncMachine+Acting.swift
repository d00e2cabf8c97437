import SyncCore

extension SyncMachine {
  /// Takes an action of the user in: stamped, numbered and put into the outbox, in one save with the local state (M1, S32).
  mutating func act(_ key: RecordKey, _ action: Action, _ now: Int64) {
    let window = policy.windowMilliseconds
    let view = replica.view(of: key, windowMilliseconds: window)
    let seen = replica.confirmed[key]?.cell.latestStamp
    var write = Write(
      dot: Dot(device: replica.device, number: replica.takeNumber()), milliseconds: 0, seen: seen,
      context: view.context, payload: action.payload, tally: view.tally, fields: action.fields)
    switch action.tally {
    case .add(let more): write.tally.count = min(max(write.tally.count + more, 0), Stamp.latestMilliseconds)
    case .reset: write.tally = Tally(epoch: view.tally.epoch + 1, count: 0)
    }
    var stamp = replica.stamp(nowMilliseconds: now)
    if let seen = view.latestStamp { stamp = stamp.raised(above: seen) }
    replica.receive(stamp)
    write.stamp = stamp
    effects.append(.save(journal(write, now)))
    replica.count { $0.actions += 1 }
    enqueue(write, for: key, now)
    pacing.lastActionMilliseconds = now
    if pacing.waitingSinceMilliseconds == nil { pacing.waitingSinceMilliseconds = now }
    tell(.changed(key, remote: false, rule: nil))
  }

  /// A newer unsent action of the same record takes the older one's place; both stay in the journal (M1, S33).
  private mutating func enqueue(_ write: Write, for key: RecordKey, _ now: Int64) {
    let sent = push.inFlight?.positions ?? []
    let waiting = replica.outbox.last {
      $0.key == key && $0.parkedBecause == nil && !sent.contains($0.position)
    }
    if var item = waiting, case .write(let older) = item.change {
      item.change = .write(write.replacing(older))
      item.skewMilliseconds = replica.skewMilliseconds
      item.isStampMeasured = isSkewMeasured
      replica.replace(item)
      replica.count { $0.superseded += 1 }
    } else {
      replica.append(.write(write), for: key, queuedMilliseconds: now, isStampMeasured: isSkewMeasured)
    }
  }

  private func journal(_ write: Write, _ now: Int64) -> [StoreChange] {
    let number = write.dot.number
    var changes = [StoreChange(key: Replica.journalKey(number), value: write.packed())]
    if number > Replica.journalLimit {
      changes.append(StoreChange(key: Replica.journalKey(number - Replica.journalLimit), value: nil))
    }
    return changes
  }
}
