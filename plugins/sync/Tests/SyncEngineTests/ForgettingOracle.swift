import SyncCore

/// The expected content of records in a zone that never forgets deletions. It is computed from the actions of users and
/// the earlier actions that each author had seen.
struct ForgettingOracle {
  /// A user's action on a record.
  struct Act {
    var key: String
    var kind: Kind
    /// The time of the action in milliseconds. No two actions have the same time.
    var time: Int64
    /// The actions on the same record that this action's author had seen.
    var seen: Set<Dot>
    /// The number of times that the record was created again after a deletion, including by this action.
    var incarnation: Int
  }

  enum Kind: Hashable {
    case like, title(Int64), delete
  }

  struct Shown: Hashable {
    var likes: Int
    var title: Int64?
  }

  let rule: DeleteRule
  private(set) var acts: [Dot: Act] = [:]

  init(_ rule: DeleteRule) { self.rule = rule }

  /// Records an action and the actions that its author had seen.
  mutating func note(_ dot: Dot, _ kind: Kind, _ key: String, at time: Int64, seen: Set<Dot>) {
    let seen = seen.filter { acts[$0]?.key == key }
    var incarnation = seen.compactMap { acts[$0]?.incarnation }.max() ?? 0
    if kind != .delete, !seen.isEmpty, shown(key, seen) == nil { incarnation += 1 }
    acts[dot] = Act(key: key, kind: kind, time: time, seen: seen, incarnation: incarnation)
  }

  /// Returns the content of a record for a device that has seen these actions, or nil if the record does not exist.
  func shown(_ key: String, _ dots: Set<Dot>) -> Shown? {
    let known = dots.compactMap { dot in acts[dot].map { (dot: dot, act: $0) } }.filter { $0.act.key == key }
    guard let incarnation = known.map(\.act.incarnation).max() else { return nil }
    let present = known.filter { $0.act.incarnation == incarnation }
    let deletions = present.filter { $0.act.kind == .delete }
    let changes = present.filter { $0.act.kind != .delete }
    if rule == .deleteWins, !deletions.isEmpty { return nil }
    let isLiving = changes.contains { change in !deletions.contains { $0.act.seen.contains(change.dot) } }
    guard isLiving else { return nil }
    let titles = changes.compactMap { change -> (Int64, Int64)? in
      if case .title(let value) = change.act.kind { (change.act.time, value) } else { nil }
    }
    return Shown(likes: changes.count { $0.act.kind == .like }, title: titles.max { $0.0 < $1.0 }?.1)
  }
}
