import Dispatch

/// The main thread of a program that is not asynchronous.
package enum MainThread {
  /// Executes the main queue, on which steps of the queue `main` run. It never returns, so the program must end with
  /// `exit`.
  package static func serve() -> Never { dispatchMain() }
}
