import Synchronization

/// An action of a registry, derived from its type when it is first asked for.
///
/// Deriving reflects over the inputs and outputs, which takes longer than a small workflow; a run uses few of the
/// actions that are installed.
final class DeferredAction: Sendable {
  private let type: (any ActionType.Type)?
  private let derived: Mutex<RegisteredAction?>

  /// An action that is derived from its type.
  init(_ type: any ActionType.Type) {
    self.type = type
    derived = Mutex(nil)
  }

  /// An action that is known.
  init(_ action: RegisteredAction) {
    type = nil
    derived = Mutex(action)
  }

  /// The action.
  var action: RegisteredAction {
    derived.withLock { derived in
      if let derived { return derived }
      guard let type else { preconditionFailure("an action has a type or is known") }
      let action = RegisteredAction(type)
      derived = action
      return action
    }
  }
}
