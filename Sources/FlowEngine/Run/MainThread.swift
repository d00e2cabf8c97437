import Dispatch

/// The main thread of a program whose `main` is not asynchronous.
package enum MainThread {
  /// Gives the main thread to the main queue, on which steps of the queue `main` run. The program ends by `exit`.
  package static func serve() -> Never { dispatchMain() }
}
