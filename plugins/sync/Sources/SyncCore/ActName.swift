/// The permanent name of an act, which is a user's change to one record. It consists of the device, the device's number
/// for the act, and a number drawn at random when the device's file was opened.
package struct ActName: Hashable, Sendable {
  package var dot: Dot
  /// See `Write.incarnation`.
  package var incarnation: UInt64

  package init(dot: Dot, incarnation: UInt64) { (self.dot, self.incarnation) = (dot, incarnation) }
}

/// The state of an act in a zone, if its number is covered by the record's context.
package enum TakenAct: Hashable, Sendable {
  /// The zone has not accepted the act. The number was used by an act from another copy of the device's file.
  case no
  /// The zone has accepted the act. Contains the checksums stored under its name; 0 means that an earlier version
  /// merged the act with a later one.
  case yes(checks: [UInt32])
  /// Unknown. The zone lost the act and got its content back as a cell, which does not contain the names of acts.
  case perhaps

  /// Decides from the checksums stored under the act's name and the largest act number that the device has returned in
  /// a cell.
  package init(checks: [UInt32], givenBack: Int64?, number: Int64) {
    self = !checks.isEmpty ? .yes(checks: checks) : number <= givenBack ?? 0 ? .perhaps : .no
  }
}

/// The names that a zone stores alongside a record so that each act is counted only once.
package struct TakenNames: Hashable, Sendable {
  /// The accepted acts.
  package var acts: [Act] = []
  /// The devices that have returned acts as a cell, with the largest number of each.
  package var givenBack: [Dot] = []

  /// An accepted act.
  package struct Act: Hashable, Sendable {
    package var name: ActName
    /// See `Write.check`.
    package var check: UInt32
  }

  package init() {}

  /// Collects the names to store when a change is applied to the cell `old`.
  package init(_ change: RecordOperation.Change, over old: Cell) {
    switch change {
    case .write(let write): acts = [Act(name: write.name, check: write.check)]
    case .join(let cell): givenBack = cell.context.dots.filter { !old.context.covers($0) }
    case .retire: break
    }
  }

  package mutating func formUnion(_ other: TakenNames) {
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
  package var name: ActName { ActName(dot: dot, incarnation: incarnation) }
}
