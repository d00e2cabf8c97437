#if canImport(UIKit) && canImport(BackgroundTasks)
  public import BackgroundTasks
  public import FlowKit

  extension BGTask {
    /// Ties a run to this task: the run is cancelled when the system's time limit is reached, and the system is
    /// notified when the run has ended.
    ///
    /// - Parameter work: the work of the app's ``LaunchModel``, from ``LaunchModel/beginBackgroundWork()``. Files that a suspended app
    ///   must not lock are released at the end of the run, and at the time limit even if the run has not ended.
    public func follow<Workflow: PackagedWorkflow>(_ run: TypedRun<Workflow>, _ work: BackgroundWork? = nil) {
      expirationHandler = {
        run.cancel()
        Task { @MainActor in work?.end() }
      }
      // Proof of safety: the system passes `self` to this function once, and only this function uses it, once, when the
      // run has ended.
      nonisolated(unsafe) let task = self
      Task {
        let conclusion = await run.report.conclusion
        await work?.end().value
        task.setTaskCompleted(success: conclusion == .success || conclusion == .partial)
      }
    }
  }
#endif
