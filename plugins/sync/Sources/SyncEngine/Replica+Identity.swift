import SyncCore

extension Replica {
  /// True if a record contains a write under this device's name that this device did not make. Either this device's
  /// file is an old copy or another device uses a copy of it, so other acts may have the same numbers (M1).
  func isImpersonated(by record: SyncRecord) -> Bool {
    guard let there = record.cell.context.note(of: device) else { return false }
    if there.dot.number >= nextNumber { return true }
    let known = confirmed[record.key]?.cell.context.note(of: device)
    // A server restored from a backup has fewer writes. This does not indicate another device.
    if let known, there.dot.number < known.dot.number { return false }
    if let known, there.dot.number == known.dot.number { return !known.mayBe(there.dot.number, check: there.check) }
    // This device no longer has its own acts on records that it has released.
    if known == nil, hasHeldParts, record.cell.isRecord { return false }
    return !holds(there, for: record.key)
  }

  /// True if the server already has a write of this device: the device's last write in the record, or one sent before
  /// that.
  func isKnown(_ write: Write, in record: SyncRecord) -> Bool {
    guard let there = record.cell.context.note(of: write.dot.device) else { return false }
    if there.mayBe(write.dot.number, check: write.check) { return true }
    return write.dot.number < there.dot.number && holds(there, for: record.key)
  }

  /// True if the device's last write in a record is still waiting for an acknowledgement.
  private func holds(_ there: VersionVector.Seen, for key: RecordKey) -> Bool {
    outbox.items(for: key).contains { item in
      guard let write = item.write else { return false }
      return write.dot.device == there.dot.device && there.mayBe(write.dot.number, check: write.check)
    }
  }

  /// Continues under a new device name, so that new acts are not mistaken for known ones (M1, M4). Waiting changes keep
  /// their names, because another copy of this file may send them, too.
  mutating func takeNewIdentity(random: UInt32, incarnation: UInt64) {
    let old = device
    device = DeviceID(stem: old.stem, random: random)
    dirty.insert(.identity)
    describeItself(insteadOf: old, incarnation)
  }

  /// Moves a waiting write whose number belongs to another act to the branch of its incarnation. Every copy of this
  /// file uses the same branch name, so the act is counted once.
  mutating func fork(_ position: Int64) {
    guard var item = outbox[position: position], var write = item.write else { return }
    let old = write.dot
    var branch = Dot(device: old.device.branch(write.incarnation), number: old.number)
    // If the act was parked and then retried, a later act may already use its number on the branch. It then gets a
    // separate branch.
    if branch == old { branch.device = old.device.branch(write.incarnation &+ UInt64(bitPattern: old.number)) }
    write.dot = branch
    (item.change, item.wasSent) = (.write(write), false)
    replace(item)
    // Later writes refer to this act by its old name.
    for var later in outbox.items(for: item.key) where later.position > position {
      guard var write = later.write, write.context.covers(old) || write.record != nil else { continue }
      if write.context.covers(old) {
        write.context.limit(old.device, to: old.number - 1)
        write.context.observe(branch)
      }
      write.record?.rename(old, branch)
      later.change = .write(write)
      replace(later)
    }
  }

  /// Moves the waiting description of this device to its new name. The old name belongs to the other device.
  private mutating func describeItself(insteadOf old: DeviceID, _ incarnation: UInt64) {
    for item in outbox.filter({ $0.key == DeviceInfo.key(of: old) && $0.parkedBecause == nil }) {
      guard var write = item.write else { continue }
      remove(position: item.position)
      write.context = VersionVector()
      // This is a new act, because it describes a different device.
      write.dot = Dot(device: device, number: takeNumber())
      write.incarnation = incarnation
      write = write.sealed()
      append(
        .write(write), for: DeviceInfo.key(of: device),
        queuedMilliseconds: item.queuedMilliseconds, isStampMeasured: item.isStampMeasured)
    }
  }

  /// Returns the positions of all changes in the same transaction, or only `position` if it has no transaction.
  func whole(_ position: Int64) -> [Int64] {
    guard let group = outbox[position: position]?.group else { return [position] }
    return outbox.positions(ofGroup: group)
  }

  /// Queues a parked change again, unless the zone has forgotten its deleted record. The change keeps its name unless
  /// another change has the same name or the zone cannot determine whether it was counted. In these cases, it gets a
  /// new name and moves to the end of the outbox.
  mutating func unpark(_ position: Int64, _ incarnation: UInt64) {
    guard var item = outbox[position: position], let reason = item.parkedBecause, reason != Self.deletedThere else {
      return
    }
    item.parkedBecause = nil
    item.wasSent = false
    var isRenamed = false
    if var write = item.write {
      isRenamed = [Arbiter.Refusal.nameTaken, .mayBeCounted].contains(where: {
        reason.hasSuffix(SyncPause.shortened("\($0)"))
      })
      if isRenamed {
        write.dot = Dot(device: device, number: takeNumber())
        write.incarnation = incarnation
        write = write.sealed()
      }
      if let record = write.record {
        write.record?.incarnation = max(record.incarnation, firstIncarnation(of: item.key))
      }
      item.change = .write(write)
    }
    dirty.insert(.outbox(position))
    if isRenamed {
      dirty.insert(.outbox(outbox.moveToEnd(item).position))
    } else {
      outbox.replace(item)
    }
    touch(item.key)
  }
}
