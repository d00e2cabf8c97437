extension Cell {
  /// The winning state of a cell and the rule that decided.
  package struct Reading: Hashable, Sendable {
    package var winner: StateEntry
    /// The rule that decided between the winner and the second best state, or nil if there was only one state.
    package var rule: ConflictRule?
    /// The number of candidate states.
    package var contenders: Int
  }

  /// Returns the winning state, or nil if no state has been written (M6).
  ///
  /// The result depends only on the cell, so all replicas with the same bytes return the same state. All states are
  /// aged to one instant, the horizon, and then compared by priority, least remaining time, newest stamp and device
  /// name, in this order.
  package func reading(by rule: DecideRule) -> Reading? {
    guard var winner = entries.first else { return nil }
    guard entries.count > 1 else { return Reading(winner: winner, rule: nil, contenders: 1) }
    var standing = rule.standing(of: winner, atMilliseconds: horizonMilliseconds)
    var runnerUp: (entry: StateEntry, standing: Standing)?
    for entry in entries.dropFirst() {
      let challenger = rule.standing(of: entry, atMilliseconds: horizonMilliseconds)
      if Self.decide((entry, challenger), (winner, standing)).firstWins {
        runnerUp = (winner, standing)
        (winner, standing) = (entry, challenger)
      } else if runnerUp.map({ Self.decide((entry, challenger), $0).firstWins }) ?? true {
        runnerUp = (entry, challenger)
      }
    }
    let decided = runnerUp.map { Self.decide((winner, standing), $0).rule }
    return Reading(winner: winner, rule: decided, contenders: entries.count)
  }

  /// Returns the rule by which another state has replaced an earlier winner. If the earlier winner is still in the
  /// cell, or if its device also wrote the current one, returns the rule that decided the current reading. Returns nil
  /// if there was no conflict.
  ///
  /// `previous` is the state that won in an older copy of this cell. `isSeen` is true if that state had reached the
  /// server, so that the authors of other states may have seen it.
  package func resolution(
    replacing previous: StateEntry, isSeen: Bool = true, by rule: DecideRule
  ) -> ConflictRule? {
    guard let reading = reading(by: rule) else { return nil }
    if entries.contains(where: { $0.dot == previous.dot }) { return reading.rule }
    if reading.winner.dot.device == previous.dot.device { return reading.rule }
    if !isSeen { return .lww }
    if reading.winner.sawEverything { return .causal }
    return horizonMilliseconds - previous.milliseconds > rule.windowMilliseconds ? .lww : .causal
  }

  private static func decide(
    _ first: (entry: StateEntry, standing: Standing), _ second: (entry: StateEntry, standing: Standing)
  ) -> (firstWins: Bool, rule: ConflictRule) {
    if first.standing.priority != second.standing.priority {
      return (first.standing.priority > second.standing.priority, .priority)
    }
    let (left, right) = (first.standing.remainingMilliseconds, second.standing.remainingMilliseconds)
    if left != right { return (left < right, .remaining) }
    if first.entry.stamp.isLater(than: second.entry.stamp) { return (true, .newest) }
    if second.entry.stamp.isLater(than: first.entry.stamp) { return (false, .newest) }
    return (first.entry.dot.device > second.entry.dot.device, .device)
  }
}
