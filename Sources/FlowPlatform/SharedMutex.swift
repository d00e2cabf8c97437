import Synchronization

/// A mutex for state that belongs to the whole process, as in `static let shared = SharedMutex(State())`.
///
/// The optimizer of Swift 6.3 can lose the initial value of a static `Mutex` whose state contains an optional of a
/// plain type, such as `Int32?`. The program then starts with zeros, which are not nil. In one case, a release build
/// printed nothing, because it interpreted the zero as a failed write. An object is not affected, because it is
/// initialized when it is first used.
package final class SharedMutex<State: ~Copyable>: Sendable {
  package let mutex: Mutex<State>

  package init(_ state: consuming sending State) { mutex = Mutex(state) }
}
