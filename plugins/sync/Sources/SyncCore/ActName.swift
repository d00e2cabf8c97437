/// The name of an act, which never changes: the device under which it is kept, what the opening of the device's file drew,
/// and the device's number.
public struct ActName: Hashable, Sendable {
  /// The device and its number.
  public var dot: Dot
  /// See `Write.incarnation`.
  public var incarnation: UInt64

  /// Makes a name.
  public init(dot: Dot, incarnation: UInt64) { (self.dot, self.incarnation) = (dot, incarnation) }
}

/// What a zone knows of an act that a record's context covers.
public enum TakenAct: Hashable, Sendable {
  /// It has never been taken: another copy of its device's file has acted under that number.
  case no
  /// An act of this name has been taken; its checksums, 0 for one that an earlier version had put together with a later one.
  case yes(checks: [UInt32])
  /// The zone does not know: what it lost was returned by a device, as cells, which hold no names.
  case perhaps

  /// What follows from the checksums that are kept for a name and from the device's largest number that was returned.
  public init(checks: [UInt32], givenBack: Int64?, number: Int64) {
    self = !checks.isEmpty ? .yes(checks: checks) : number <= givenBack ?? 0 ? .perhaps : .no
  }
}

/// What a zone keeps of a change besides the record, so that each act counts once forever.
public struct TakenNames: Hashable, Sendable {
  /// The acts that were taken, with their checksums.
  public var acts: [Act] = []
  /// The devices whose acts were returned as a cell, with the largest number.
  public var givenBack: [Dot] = []

  /// An act that was taken.
  public struct Act: Hashable, Sendable {
    /// Its name.
    public var name: ActName
    /// Its checksum.
    public var check: UInt32
  }

  /// Nothing.
  public init() {}

  /// What a change that is stored over a cell has taken.
  public init(_ change: RecordOperation.Change, over old: Cell) {
    switch change {
    case .write(let write): acts = [Act(name: write.name, check: write.check)]
    case .join(let cell): givenBack = cell.context.dots.filter { !old.context.covers($0) }
    case .retire: break
    }
  }

  /// Both.
  public mutating func formUnion(_ other: TakenNames) {
    acts += other.acts
    for dot in other.givenBack {
      if let index = givenBack.firstIndex(where: { $0.device == dot.device }) {
        givenBack[index].number = max(givenBack[index].number, dot.number)
      } else {
        givenBack.append(dot)
      }
    }
  }
}

extension Write {
  /// The name of the act.
  public var name: ActName { ActName(dot: dot, incarnation: incarnation) }
}
