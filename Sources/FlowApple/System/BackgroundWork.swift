#if canImport(UIKit) && canImport(BackgroundTasks)
  public import BackgroundTasks
  public import FlowKit

  extension BGTask {
    /// Ties a run to this task: the run is cancelled when the system's time limit is reached, and the system is
    /// notified when the run has ended.
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
