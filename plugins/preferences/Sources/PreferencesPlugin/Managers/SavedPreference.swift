import FlowModel
import Synchronization

/// The saved value of one preference, which steps of a run may read and change at the same time.
final class SavedPreference: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value?) { self.value = Mutex(value) }

  /// What is saved now; nil: nothing.
  var current: Value? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
