/// Decides what a backend does with an operation. Pure: every backend runs this inside its own transaction, so that all
/// of them agree to the byte.
public enum Arbiter {
  /// How far ahead of the server's clock a stamp may lie (M2).
  public static let toleranceMilliseconds: Int64 = 1000

  /// What is to be done.
  public enum Decision: Hashable, Sendable {
    /// Store this cell under the next version; the write got this stamp.
    case store(Cell, Stamp?)
    /// Nothing to do: the cell says that already (M4).
    case unchanged
    /// The store holds another version than the device expected.
    case conflict
    /// The operation can never succeed.
    case refused(Refusal)
  }

  /// Why an operation can never succeed.
  public enum Refusal: Hashable, Sendable {
    /// It does not fit the record's type or a limit; says what is wrong.
    case invalid(String)
    /// The cell would have more than `Cell.maximumDevices` devices.
    case tooManyDevices
    /// The cell would be larger than `Cell.maximumPackedBytes`.
    case tooLarge(bytes: Int)
  }

  /// Decides on one operation against what is stored; `stored` nil means nothing is.
  public static func decide(
    _ operation: Operation, stored: Record?, policy: any MergePolicy, serverMilliseconds: Int64
  ) -> Decision {
    guard operation.key.isWellFormed else {
      return .refused(
        .invalid("record type and name take 1 to \(RecordKey.maximumLength) bytes each, without control characters"))
    }
    guard operation.expectedVersion == stored?.version ?? 0 else { return .conflict }
    let old = stored?.cell ?? Cell()
    var cell = old
    var stamp: Stamp?
    switch operation.change {
    case .write(var write):
      if cell.context.covers(write.dot) { return .unchanged }
      if let problem = policy.problem(with: write, for: operation.key) { return .refused(.invalid(problem)) }
      write.stamp = admitted(write, into: cell, serverMilliseconds: serverMilliseconds)
      stamp = write.stamp
      cell.apply(write, windowMilliseconds: policy.windowMilliseconds)
    case .join(let other):
      let clamped = other.clamped(toMilliseconds: serverMilliseconds + toleranceMilliseconds)
      cell = Cell.join(cell, clamped, windowMilliseconds: policy.windowMilliseconds)
      if cell == old { return .unchanged }
    }
    if cell.context.count > Cell.maximumDevices { return .refused(.tooManyDevices) }
    let size = cell.packed().count
    if cell.fields.count > Field.maximumCount {
      return .refused(.invalid("a record takes at most \(Field.maximumCount) fields"))
    }
    return size > Cell.maximumPackedBytes ? .refused(.tooLarge(bytes: size)) : .store(cell, stamp)
  }

  /// The stamp under which a write is stored: at most a second ahead of the server, and later than everything that its
  /// author had seen here (M2).
  static func admitted(_ write: Write, into cell: Cell, serverMilliseconds: Int64) -> Stamp {
    let latest = serverMilliseconds + toleranceMilliseconds
    var stamp = write.stamp
    if stamp.milliseconds > latest { stamp = Stamp(milliseconds: latest, counter: 0, device: write.dot.device) }
    guard let seen = write.seen, let stored = cell.latestStamp else { return stamp }
    return stamp.raised(above: stored.isLater(than: seen) ? seen : stored)
  }
}

extension Cell {
  /// This cell with no time after a limit, for one that comes from outside.
  func clamped(toMilliseconds limit: Int64) -> Cell {
    guard horizonMilliseconds > limit else { return self }
    var result = self
    result.horizonMilliseconds = limit
    for index in entries.indices { result.entries[index].milliseconds = min(entries[index].milliseconds, limit) }
    for index in fields.indices {
      result.fields[index].stamp.milliseconds = min(fields[index].stamp.milliseconds, limit)
    }
    return result
  }
}
