import FlowModel

/// Data about a simulated run that the plan does not contain: the times of attempts, and the steps that posted events.
package struct RunTrace: Sendable {
  /// One attempt of a step, or of an item.
  package struct Attempt: Sendable {
    package var step: StepIndex
    /// The number of the attempt, from 1.
    package var attempt: Int
    package var startedAt: Int
    /// The instant at which the body ended, or `Int.min` if it has not.
    package var endedAt = Int.min
  }

  /// The attempts in the order of their starts.
  package private(set) var attemptTimes: [Attempt] = []
  /// The step that first posted each event. Events from outside the run are not included.
  package private(set) var posters: [String: StepIndex] = [:]
  private var open: [UInt64: Int] = [:]

  package init() {}

  private static func key(_ step: StepIndex, _ attempt: Int) -> UInt64 {
    UInt64(UInt32(bitPattern: step)) << 8 | UInt64(UInt8(truncatingIfNeeded: attempt))
  }

  mutating func begin(_ step: StepIndex, _ attempt: Int, at now: Int) {
    open[Self.key(step, attempt)] = attemptTimes.count
    attemptTimes.append(Attempt(step: step, attempt: attempt, startedAt: now))
  }

  mutating func end(_ step: StepIndex, _ attempt: Int, at now: Int) {
    guard let index = open.removeValue(forKey: Self.key(step, attempt)) else { return }
    attemptTimes[index].endedAt = now
  }

  mutating func post(_ event: String, by step: StepIndex) {
    if posters[event] == nil { posters[event] = step }
  }
}
