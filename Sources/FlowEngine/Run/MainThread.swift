import Dispatch

/// The main thread of a program whose `main` is not asynchronous.
package enum MainThread {
  /// Serves the main queue on the main thread, which runs the steps of the queue `main`. The program ends with `exit`.
  package static func serve() -> Never { dispatchMain() }
}
