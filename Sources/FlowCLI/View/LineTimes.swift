import FlowSystem
import Synchronization

/// The kinds of time that can be shown at the beginning of each line.
enum LineTimes: String, CaseIterable {
  /// The time of day, such as `02:15:03.412`.
  case wall
  /// The number of milliseconds since the activation.
  case elapsed
}

/// Computes the times of day at which events happened. Events contain the time since the start of the run.
final class EventClock: Sendable {
  private let now: @Sendable () -> Int
  /// The time at which the run started, in nanoseconds since 1970. Nil before the first event.
  private let start = Mutex<Int?>(nil)
  /// The longest plausible delay of an event. If it is longer, the clock was set or the machine was asleep.
  private static let longestDelayNanoseconds = 10_000_000_000

  /// Creates a clock. `now` returns the current time in nanoseconds since 1970.
  init(now: @escaping @Sendable () -> Int = { WallTime.nanoseconds }) { self.now = now }

  /// Returns the time of day of an event that has just been received, such as `02:15:03.412`.
  func text(_ eventNanoseconds: Int) -> String {
    let latest = now() - eventNanoseconds
    let start = start.withLock { start in
      // An event can be received late, but never early.
      if let known = start, known...known + Self.longestDelayNanoseconds ~= latest { return known }
      start = latest
      return latest
    }
    let milliseconds = (start + eventNanoseconds) / 1_000_000
    let fraction = String(milliseconds % 1000)
    return WallTime.local(milliseconds).suffix(8) + "." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}
