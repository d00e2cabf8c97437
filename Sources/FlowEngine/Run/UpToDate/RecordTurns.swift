import FlowModel
import Synchronization

/// The latest attempt of each step and item, which alone may record products. The body of an attempt that timed out may
/// end after a later attempt has succeeded, and must not overwrite its record.
final class RecordTurns: Sendable {
  private let newest = Mutex<[StepIndex: Int]>([:])

  func begin(_ step: StepIndex, attempt: Int) { newest.withLock { $0[step] = max($0[step] ?? 0, attempt) } }

  /// Calls `body`. Returns nil instead if a later attempt has begun. No later attempt can begin during the call.
  fileprivate func callIfNewest<Result>(_ step: StepIndex, attempt: Int, _ body: () -> Result?) -> Result? {
    newest.withLock { newest in (newest[step] ?? 0) <= attempt ? body() : nil }
  }
}

/// The permission of one attempt to record its products.
struct RecordTurn: Sendable {
  private let step: StepIndex
  private let attempt: Int
  private let turns: RecordTurns

  init(of step: StepIndex, attempt: Int, in turns: RecordTurns) {
    (self.step, self.attempt, self.turns) = (step, attempt, turns)
  }

  /// True if no later attempt has begun.
  var isOpen: Bool { callIfNewest { true } ?? false }

  /// Calls `body`. Returns nil instead if a later attempt has begun. No later attempt can begin during the call.
  @discardableResult
  func callIfNewest<Result>(_ body: () -> Result?) -> Result? { turns.callIfNewest(step, attempt: attempt, body) }
}
