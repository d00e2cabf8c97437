import FlowSystem
import Synchronization

/// The outcome of a process group, which is known once the processes that the leader left behind have been ended.
final class GroupOutcome: Sendable {
  private enum State {
    case unknown
    case isAwaited(by: @Sendable () -> Void)
    case known(ProcessGroup.Ending)
  }

  private let state = Mutex(State.unknown)

  /// The outcome, or nil if it is not known yet.
  var ending: ProcessGroup.Ending? {
    state.withLock { state in
      if case .known(let ending) = state { ending } else { nil }
    }
  }

  /// Sets the outcome and resumes the step that waits for it.
  func set(_ ending: ProcessGroup.Ending) {
    let resume = state.withLock { state -> (@Sendable () -> Void)? in
      defer { state = .known(ending) }
      if case .isAwaited(let resume) = state { return resume }
      return nil
    }
    resume?()
  }

  /// Calls `resume` once, as soon as the outcome is known.
  func wait(_ resume: @escaping @Sendable () -> Void) {
    let isKnown = state.withLock { state in
      if case .known = state { return true }
      state = .isAwaited(by: resume)
      return false
    }
    if isKnown { resume() }
  }
}
