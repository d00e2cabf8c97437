/// Decides how a backend handles an operation. The functions are pure and every backend calls them inside its own
/// transaction, so all backends store the same bytes.
package enum Arbiter {
  /// The maximum time that a stamp may be ahead of the server's clock (M2).
  package static let toleranceMilliseconds: Int64 = 1000

  package enum Decision: Hashable, Sendable {
    /// Store this cell as the next version. For a write, also contains its final stamp.
    case store(Cell, Stamp?)
    /// Store nothing, because the change has no effect, usually because the cell already has the write (M4).
    case unchanged
    /// The device must fetch the record and send the change again: the stored version differs from the expected one,
    /// another write has the same number, or the zone has forgotten the record.
    case conflict
    /// The operation can never succeed.
    case refused(Refusal)
  }

  /// The reason why an operation can never succeed.
  package enum Refusal: Hashable, Sendable, CustomStringConvertible {
    /// The key is invalid, the change breaks a rule of the zone or exceeds a limit, or another operation of the
    /// transaction is refused. Contains a description of the problem.
    case invalid(String)
    /// More than `RecordLimits.devices` devices that count as devices of the zone would have written to the record.
    case tooManyDevices
    /// The record would exceed its maximum size.
    case tooLarge(bytes: Int)
    /// Another act has the same name. This happens when a machine is copied while it runs.
    case nameTaken
    /// The zone cannot determine whether it has already counted the act.
    case mayBeCounted

    /// The reason as text for a user.
    package var description: String {
      switch self {
      case .invalid(let reason): reason
      case .tooManyDevices:
        "the zone has \(RecordLimits.devices) devices, which is the limit; retire one that is no longer used"
      case .tooLarge(let bytes):
        "the record would hold \(bytes) bytes, at most \(RecordLimits.recordBytes) are allowed"
      case .nameTaken:
        "another change has the same name and different content, as when a running machine was copied; retry it to count it under a new name, or discard it"
      case .mayBeCounted:
        "the zone was restored from a backup, and it may count this change already; look at the record, then retry it to count it once more, or discard it"
      }
    }
  }

  /// Decides on one operation. `stored` is the record before it, or nil if there is none.
  ///
  /// `rules` are the zone's rules for the record's collection, or nil if the record does not belong to a collection.
  /// `taken` looks up an act and is called only if the record's context covers the act's number.
  package static func decide(
    _ operation: RecordOperation, stored: SyncRecord?, rules: ZoneRules?, serverMilliseconds: Int64,
    taken: (ActName) throws -> TakenAct
  ) rethrows -> Decision {
    guard operation.key.isWellFormed else { return .refused(.invalid(RecordKey.rule)) }
    guard operation.expectedVersion == stored?.version ?? 0 else { return .conflict }
    let old = stored?.cell ?? Cell()
    switch operation.change {
    case .write(let write):
      return try decide(write, for: operation.key, old, rules, serverMilliseconds: serverMilliseconds, taken)
    case .join(let other):
      let problem =
        RecordLimits.problem(withValuesOf: other) ?? self.problem(with: other, for: operation.key, old, rules)
      if let problem {
        return .refused(.invalid(problem))
      }
      let clamped = other.clamped(toMilliseconds: serverMilliseconds + toleranceMilliseconds)
      let cell = Cell.join(old, clamped, windowMilliseconds: window(rules))
      return cell == old ? .unchanged : .store(cell, nil)
    case .retire(let device):
      var cell = old
      return cell.retire(device) ? .store(cell, nil) : .unchanged
    }
  }

  /// Decides as if no act had been accepted before.
  package static func decide(
    _ operation: RecordOperation, stored: SyncRecord?, rules: ZoneRules?, serverMilliseconds: Int64
  ) -> Decision {
    decide(operation, stored: stored, rules: rules, serverMilliseconds: serverMilliseconds, taken: { _ in .no })
  }

  private static func window(_ rules: ZoneRules?) -> Int64 { rules?.decide?.windowMilliseconds ?? .max }

  private static func decide(
    _ write: Write, for key: RecordKey, _ old: Cell, _ rules: ZoneRules?, serverMilliseconds: Int64,
    _ taken: (ActName) throws -> TakenAct
  ) rethrows -> Decision {
    let (device, check) = (write.dot.device, write.check)
    if let known = old.context.note(of: device), write.dot.number <= known.dot.number {
      if known.mayBe(write.dot.number, check: check) { return .unchanged }
      switch try taken(write.name) {
      case .yes(let checks): return checks.contains { $0 == check || $0 == 0 } ? .unchanged : .refused(.nameTaken)
      case .perhaps: return .refused(.mayBeCounted)
      // The write cannot be stored under this name. Its device sends it again under the name of a branch.
      case .no: return .conflict
      }
    }
    if let problem = RecordLimits.problem(with: write) ?? problem(with: write, for: key, old, rules) {
      return .refused(.invalid(problem))
    }
    if key.type == ZoneRules.type, write.fields.allSatisfy({ change in old.fields.contains { $0.name == change.name } })
    {
      return .unchanged
    }
    let live = old.context.liveDevices(atMilliseconds: serverMilliseconds)
    if live.count >= RecordLimits.devices, !live.contains(device) { return .refused(.tooManyDevices) }
    let stamp = admitted(write, into: old, serverMilliseconds: serverMilliseconds)
    var cell = old
    cell.apply(write.restamped(stamp), check: check, windowMilliseconds: window(rules))
    if let refusal = RecordLimits.refusal(of: cell, from: old) { return .refused(refusal) }
    return .store(cell, stamp)
  }

  /// Returns the reason why a write does not fit the record, or nil if it fits. Zone rules are checked only if there
  /// are any.
  private static func problem(
    with write: Write, for key: RecordKey, _ old: Cell, _ rules: ZoneRules?
  ) -> String? {
    if key.type == ZoneRules.type { return ZoneRules.problem(with: write, of: key.name, in: old) }
    return problem(withTypeOf: key, isRecord: write.record != nil) ?? rules?.problem(with: write, for: key)
  }

  private static func problem(
    with other: Cell, for key: RecordKey, _ old: Cell, _ rules: ZoneRules?
  ) -> String? {
    if key.type == ZoneRules.type {
      return ZoneRules.difference(key.name, ZoneRules.texts(of: old), ZoneRules.texts(of: other))
    }
    return problem(withTypeOf: key, isRecord: other.isRecord) ?? rules?.problem(with: other, for: key)
  }

  private static func problem(withTypeOf key: RecordKey, isRecord: Bool) -> String? {
    guard RecordName.isWellFormed(key.type) else { return "the collection '\(key.type)' \(RecordName.rule)" }
    return isRecord ? nil : "the change to '\(key)' is not one of a record"
  }

  /// Returns the stamp under which a write is stored: at most one second ahead of the server, and later than every
  /// write to this cell that the author had seen (M2).
  static func admitted(_ write: Write, into cell: Cell, serverMilliseconds: Int64) -> Stamp {
    let latest = serverMilliseconds + toleranceMilliseconds
    var stamp = write.stamp
    if stamp.milliseconds > latest { stamp = Stamp(milliseconds: latest, counter: 0, device: write.dot.device) }
    guard let seen = write.seen, let stored = cell.latestStamp else { return stamp }
    return stamp.raised(above: stored.isLater(than: seen) ? seen : stored)
  }
}

extension Cell {
  /// Returns this cell with all times later than `limit` lowered to it. Used for cells that devices return.
  func clamped(toMilliseconds limit: Int64) -> Cell {
    var result = self
    result.horizonMilliseconds = min(horizonMilliseconds, limit)
    for index in entries.indices { result.entries[index].milliseconds = min(entries[index].milliseconds, limit) }
    for index in fields.indices {
      result.fields[index].stamp.milliseconds = min(fields[index].stamp.milliseconds, limit)
    }
    result.content.deleted?.milliseconds = min(content.deleted?.milliseconds ?? 0, limit)
    result.content.changed?.milliseconds = min(content.changed?.milliseconds ?? 0, limit)
    return result
  }
}
