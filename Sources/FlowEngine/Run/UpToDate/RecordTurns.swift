import FlowModel
import Synchronization

/// Which attempt of each step, or of each item, may record what it made: the newest one. The body of an attempt that timed out may end
/// when a later attempt has succeeded, and must not replace its record.
final class RecordTurns: Sendable {
  private let newest = Mutex<[StepIndex: Int]>([:])

  /// Notes that an attempt begins.
  func begin(_ step: StepIndex, attempt: Int) { newest.withLock { $0[step] = max($0[step] ?? 0, attempt) } }

  /// Calls `body` if no later attempt has begun, and lets none begin meanwhile.
  fileprivate func take<Result>(_ step: StepIndex, attempt: Int, _ body: () -> Result?) -> Result? {
    newest.withLock { newest in (newest[step] ?? 0) <= attempt ? body() : nil }
  }
}

/// The right of an attempt to record what it made.
struct RecordTurn: Sendable {
  private let step: StepIndex
  private let attempt: Int
  private let turns: RecordTurns

  init(of step: StepIndex, attempt: Int, in turns: RecordTurns) {
    (self.step, self.attempt, self.turns) = (step, attempt, turns)
  }

  /// Whether no later attempt has begun.
  var isOpen: Bool { take { true } ?? false }

  /// Calls `body` if no later attempt has begun, and lets none begin meanwhile. Returns nil if one has begun.
  @discardableResult
  func take<Result>(_ body: () -> Result?) -> Result? { turns.take(step, attempt: attempt, body) }
}
