import FlowModel
import Synchronization

/// The saved value of one preference, which steps of a run may read and change concurrently.
final class SavedPreference: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value?) { self.value = Mutex(value) }

  /// The current saved value, or nil.
  var current: Value? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
