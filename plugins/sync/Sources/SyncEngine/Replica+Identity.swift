import SyncCore

extension Replica {
  /// Whether a record holds a write under this device's name that this device did not make: then its file is an older
  /// copy, or another device runs on a copy of it, and its numbers stand for other actions as well (M1).
  func isImpersonated(by record: SyncRecord) -> Bool {
    guard let there = record.cell.context.note(of: device) else { return false }
    if there.dot.number >= nextNumber { return true }
    let known = confirmed[record.key]?.cell.context.note(of: device)
    // A server that went back knows less, and that is not another device.
    if let known, there.dot.number < known.dot.number { return false }
    if let known, there.dot.number == known.dot.number { return !known.mayBe(there.dot.number, check: there.check) }
    // The acts of this device on records that it has released are not recorded here.
    if known == nil, hasHeldParts, record.cell.isRecord { return false }
    return !holds(there, for: record.key)
  }

  /// Whether the server has a write of this device already: the last that it notes, or one that was sent before that.
  func isKnown(_ write: Write, in record: SyncRecord) -> Bool {
    guard let there = record.cell.context.note(of: write.dot.device) else { return false }
    if there.mayBe(write.dot.number, check: write.check) { return true }
    return write.dot.number < there.dot.number && holds(there, for: record.key)
  }

  /// Whether what a record notes of this device is a write that still waits here to be answered.
  private func holds(_ there: VersionVector.Seen, for key: RecordKey) -> Bool {
    outbox.items(for: key).contains { item in
      guard let write = item.write else { return false }
      return write.dot.device == there.dot.device && there.mayBe(write.dot.number, check: write.check)
    }
  }

  /// Continues under a name of its own, so that no new action counts as one that is known already (M1, M4). What waits
  /// keeps its name: another copy of this file may send it as well.
  mutating func takeNewIdentity(random: UInt32, incarnation: UInt64) {
    let old = device
    device = DeviceID(stem: old.stem, random: random)
    dirty.insert(.identity)
    describeItself(insteadOf: old, incarnation)
  }

  /// Has a write wait under the branch of its opening, since another act is under its number. Any copy of this file
  /// that finds that does the same, so the act counts once.
  mutating func fork(_ position: Int64) {
    guard var item = outbox[position: position], var write = item.write else { return }
    let old = write.dot
    var branch = Dot(device: old.device.branch(write.incarnation), number: old.number)
    // On the branch itself a later act can have come first, when one was parked and retried: then it has one of its
    // own.
    if branch == old { branch.device = old.device.branch(write.incarnation &+ UInt64(bitPattern: old.number)) }
    write.dot = branch
    (item.change, item.wasSent) = (.write(write), false)
    replace(item)
    // Later ones meant this act by its number.
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

  /// What a device says of itself is under its name: under the old one another device does so.
  private mutating func describeItself(insteadOf old: DeviceID, _ incarnation: UInt64) {
    for item in outbox.filter({ $0.key == DeviceInfo.key(of: old) && $0.parkedBecause == nil }) {
      guard var write = item.write else { continue }
      remove(position: item.position)
      write.context = VersionVector()
      // This is an act of its own, about another device.
      write.dot = Dot(device: device, number: takeNumber())
      write.incarnation = incarnation
      write = write.sealed()
      append(
        .write(write), for: DeviceInfo.key(of: device),
        queuedMilliseconds: item.queuedMilliseconds, isStampMeasured: item.isStampMeasured)
    }
  }

  /// The positions of all changes of the transaction that one belongs to; the position itself where there is none.
  func whole(_ position: Int64) -> [Int64] {
    guard let group = outbox[position: position]?.group else { return [position] }
    return outbox.positions(ofGroup: group)
  }

  /// Lets a parked change be sent again, under its name; one whose name is another's, or of which the zone does not know
  /// whether it counts, gets a new one, since a person has said so, and goes behind what was done meanwhile.
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
