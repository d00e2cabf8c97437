import Synchronization

/// An action whose declaration is derived from its type when it is first needed.
///
/// Deriving it uses reflection on inputs and outputs, which takes longer than running a small workflow, and a run uses
/// few of the installed actions.
final class DeferredAction: Sendable {
  private let type: (any ActionType.Type)?
  private let derived: Mutex<RegisteredAction?>

  init(_ type: any ActionType.Type) {
    self.type = type
    derived = Mutex(nil)
  }

  init(_ action: RegisteredAction) {
    type = nil
    derived = Mutex(action)
  }

  var action: RegisteredAction {
    derived.withLock { derived in
      // Testing for nil does not copy the optional, whose type the runtime would otherwise create.
      if case .none = derived {
        guard let type else { preconditionFailure("an action has a type or is known") }
        derived = .some(RegisteredAction(type))
      }
      return derived!
    }
  }
}
