import FlowModel
import Synchronization

/// The saved value of one preference. Steps of a run may read and change it concurrently.
final class SavedPreference: Sendable {
  private let value: Mutex<Value?>

  init(_ value: Value?) { self.value = Mutex(value) }

  /// The saved value, or nil if there is none.
  var current: Value? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
