import Dispatch

/// The main thread of a program whose `main` is not asynchronous.
public enum MainThread {
  /// Gives the main thread to the main queue, on which steps of the queue `main` run. The program ends by `exit`.
  public static func serve() -> Never { dispatchMain() }
}

extension WorkflowRun {
  /// Calls `action` once with the report when the run has ended and the observer has heard everything. For programs
  /// whose `main` is not asynchronous; others await ``report``.
  public func whenEnded(_ action: @escaping @Sendable (RunReport) -> Void) {
    Task { action(await report) }
  }
}
