import FlowModel

/// What a played run leaves besides its plan: when each attempt began and ended, and who posted what.
package struct RunTrace: Sendable {
  /// One attempt of a step, or of an item.
  package struct Attempt: Sendable {
    /// The step.
    package var step: StepIndex
    /// Which attempt, from 1.
    package var attempt: Int
    /// When it began.
    package var startedAt: Int
    /// When its body returned, or was asked to end; `Int.min`: it did not.
    package var endedAt = Int.min
  }

  /// The attempts in the order in which they began.
  package private(set) var attemptTimes: [Attempt] = []
  /// The step that posted each event first; an event that is missing came from outside.
  package private(set) var posters: [String: StepIndex] = [:]
  private var open: [UInt64: Int] = [:]

  /// Nothing yet.
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
