import SyncCore
import SyncPomodoro

/// A handwritten implementation of the timer's rules (S18–S26, M5, M6). The schema is compared with it.
enum TimerReference {
  /// Five seconds, inclusive (S18, C13).
  static let windowMilliseconds: Int64 = 5000

  /// Returns the winning state. Focus wins over break, then snooze, then idle. Of two running timers, the one with less
  /// time left at the same instant wins. Otherwise, the newer state wins, then the state with the larger device name.
  static func winner(of cell: Cell) -> StateEntry? {
    cell.entries.max { one, other in
      guard let mine = TimerState(payload: one.payload), let theirs = TimerState(payload: other.payload) else {
        return false
      }
      if mine.kind != theirs.kind { return mine.kind.priority < theirs.kind.priority }
      let left = [(mine, one), (theirs, other)].map { state, entry in
        state.kind.runsDown
          ? state.remaining(setAtMilliseconds: entry.milliseconds, atMilliseconds: cell.horizonMilliseconds) : 0
      }
      if left[0] != left[1] { return left[0] > left[1] }
      return one.stamp < other.stamp
    }
  }
}
