import SyncCore

/// What comes of acts on records by the contract alone, for a zone that never forgets anything: the set of all acts, each
/// with those that its author had seen.
struct ForgettingOracle {
  /// What somebody did to a record.
  struct Act {
    var key: String
    var kind: Kind
    /// When, in milliseconds; no two acts are of one instant.
    var time: Int64
    /// The acts on this record that its author had seen.
    var seen: Set<Dot>
    /// How many times the record had been deleted before, as far as its author had seen.
    var incarnation: Int
  }

  /// What can be done.
  enum Kind: Hashable {
    case like, title(Int64), delete
  }

  /// What a record shows.
  struct Shown: Hashable {
    var likes: Int
    var title: Int64?
  }

  let rule: DeleteRule
  private(set) var acts: [Dot: Act] = [:]

  init(_ rule: DeleteRule) { self.rule = rule }

  /// Notes an act whose author had seen these.
  mutating func note(_ dot: Dot, _ kind: Kind, _ key: String, at time: Int64, seen: Set<Dot>) {
    let seen = seen.filter { acts[$0]?.key == key }
    var incarnation = seen.compactMap { acts[$0]?.incarnation }.max() ?? 0
    if kind != .delete, !seen.isEmpty, shown(key, seen) == nil { incarnation += 1 }
    acts[dot] = Act(key: key, kind: kind, time: time, seen: seen, incarnation: incarnation)
  }

  /// What a record shows to who has seen these acts; nil when it is not there.
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
