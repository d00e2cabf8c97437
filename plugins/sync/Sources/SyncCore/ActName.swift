/// The name of an act, which never changes: the device that wrote it, a number drawn when the device's file was opened,
/// and the device's own number of the act.
package struct ActName: Hashable, Sendable {
  /// The device and its number.
  package var dot: Dot
  /// See `Write.incarnation`.
  package var incarnation: UInt64

  /// Creates a name.
  package init(dot: Dot, incarnation: UInt64) { (self.dot, self.incarnation) = (dot, incarnation) }
}

/// What a zone knows about an act whose number a record's context covers.
package enum TakenAct: Hashable, Sendable {
  /// The act was not taken. Its number belongs to an act from another copy of its device's file.
  case no
  /// The act was accepted. Contains the checksums stored under its name; 0 stands for an act that an earlier version
  /// merged with a later one.
  case yes(checks: [UInt32])
  /// Unknown. The zone lost the act, and a device returned its content as a cell, which has no names of acts.
  case perhaps

  /// Decides from the checksums stored under a name and the largest act number that the device returned in a cell.
  package init(checks: [UInt32], givenBack: Int64?, number: Int64) {
    self = !checks.isEmpty ? .yes(checks: checks) : number <= givenBack ?? 0 ? .perhaps : .no
  }
}

/// The names that a zone stores in addition to a record, so that each act counts only once.
package struct TakenNames: Hashable, Sendable {
  /// The acts that were taken, with their checksums.
  package var acts: [Act] = []
  /// The devices whose acts were returned as a cell, with the largest number of each.
  package var givenBack: [Dot] = []

  /// An accepted act.
  package struct Act: Hashable, Sendable {
    /// The name of the act.
    package var name: ActName
    /// The checksum of the act.
    package var check: UInt32
  }

  /// Creates an empty set of names.
  package init() {}

  /// Collects the names that a change adds to the cell `old`.
  package init(_ change: RecordOperation.Change, over old: Cell) {
    switch change {
    case .write(let write): acts = [Act(name: write.name, check: write.check)]
    case .join(let cell): givenBack = cell.context.dots.filter { !old.context.covers($0) }
    case .retire: break
    }
  }

  /// Adds all names of another set.
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
  /// The name of the act.
  package var name: ActName { ActName(dot: dot, incarnation: incarnation) }
}
