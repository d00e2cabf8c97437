import Synchronization

/// An object with a mutex around state of the whole process, for `static let shared = SharedMutex(State())`.
///
/// The optimizer of Swift 6.3 can drop the initial value of a static `Mutex` whose state has an optional of a plain type, such
/// as `Int32?`. The program then starts with zeros, which are not nil: the release build printed nothing, because it took them
/// for a failed write. An object is initialized at its first use.
package final class SharedMutex<State: ~Copyable>: Sendable {
  /// The mutex.
  package let mutex: Mutex<State>

  /// Makes a mutex with an initial state.
  package init(_ state: consuming sending State) { mutex = Mutex(state) }
}
