import SyncCore

extension SyncMachine {
  /// Returns the reason why an action is refused, or nil if it is allowed. This is checked before anything is saved, so
  /// a refused action has no effect.
  package func refusal(of action: Action, on key: RecordKey) -> String? {
    guard key.isWellFormed else {
      return RecordKey.rule
    }
    let window = window(of: key)
    let view = replica.whole(of: key, windowMilliseconds: window)
    var write = write(action, over: view, of: key)
    write.dot.number = replica.nextNumber
    write.stamp = Stamp(milliseconds: view.latestStamp?.milliseconds ?? 0, counter: .max, device: write.dot.device)
    let problem =
      write.record == nil
      ? rules(of: key.name).difference(to: ZoneRules.texts(of: write)) : recordProblem(with: write, key, view)
    if let problem = RecordLimits.problem(with: write) ?? problem { return problem }
    var cell = view
    cell.apply(write, windowMilliseconds: window)
    return RecordLimits.refusal(of: cell, from: view).map { "\($0)" }
  }

  private func write(_ action: Action, over view: Cell, of key: RecordKey) -> Write {
    var write = Write(
      dot: Dot(device: replica.device, number: 1), milliseconds: 0, seen: replica.confirmed[key]?.cell.latestStamp,
      context: view.context)
    write.incarnation = incarnation
    switch action {
    case .edit(let edit):
      edit.complete(&write, over: view, by: rules(of: key.type), first: replica.dropped.incarnation)
    case .rules(let texts):
      write.fields = texts.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: Array($0.value.utf8)) }
    }
    return write
  }

  /// Adds an action of the user to the outbox, with a number and a stamp. It is saved together with the local state
  /// (M1, S32). Waiting actions stay unchanged and are sent in order, many per request (S33).
  ///
  /// Returns the changes of the journal, which must be saved.
  mutating func act(_ key: RecordKey, _ action: Action, _ now: Int64, group: Int64? = nil) -> [StoreChange] {
    let window = window(of: key)
    let view = replica.whole(of: key, windowMilliseconds: window)
    var write = write(action, over: view, of: key)
    write.dot.number = replica.takeNumber()
    var stamp = replica.stamp(nowMilliseconds: now)
    if let seen = view.latestStamp { stamp = stamp.raised(above: seen) }
    replica.receive(stamp)
    write.stamp = stamp
    write = write.sealed()
    replica.count { $0.actions += 1 }
    acted.append(replica.outbox.nextPosition)
    replica.append(
      .write(write), for: key, queuedMilliseconds: now, isStampMeasured: isSkewMeasured, group: group)
    replica.keepView(of: key, windowMilliseconds: window)
    pacing.lastActionMilliseconds = now
    if pacing.waitingSinceMilliseconds == nil { pacing.waitingSinceMilliseconds = now }
    tell(.changed(key, remote: false, rule: nil))
    tellRecord(key, view, isRemote: false)
    return journal(write, now)
  }

  /// Retires a device in every record that it has written.
  mutating func retire(_ device: DeviceID, _ now: Int64) {
    for (key, record) in replica.confirmed.sorted(by: { $0.key < $1.key }) {
      guard let seen = record.cell.context.note(of: device), !seen.isRetired else { continue }
      replica.append(.retire(device), for: key, queuedMilliseconds: now, isStampMeasured: true)
    }
    if pacing.waitingSinceMilliseconds == nil { pacing.waitingSinceMilliseconds = now }
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
