#if canImport(UIKit) && canImport(BackgroundTasks)
  public import BackgroundTasks
  public import FlowKit

  extension BGTask {
    /// Ties a run to this task: when the system's time is up, the run is cancelled, and when the run has ended, the system is
    /// notified.
    public func follow<Workflow: PackagedWorkflow>(_ run: TypedRun<Workflow>) {
      expirationHandler = { run.cancel() }
      // Proof of safety: the system gives out `self` once, and this function alone uses it, once, when the run has ended.
      nonisolated(unsafe) let task = self
      Task {
        let conclusion = await run.report.conclusion
        task.setTaskCompleted(success: conclusion == .success || conclusion == .partial)
      }
    }
  }
#endif
