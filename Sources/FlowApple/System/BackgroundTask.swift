#if canImport(UIKit) && canImport(BackgroundTasks)
  public import BackgroundTasks
  public import FlowKit

  extension BGTask {
    /// Ties a run to this task. If the system's time limit is reached, the run is cancelled. When the run has ended,
    /// the system is notified.
    ///
    /// - Parameter work: The work that the app's ``LaunchModel`` has started with
    ///   ``LaunchModel/beginBackgroundWork()``. At the end of the run, or at the time limit, the files that a suspended
    ///   app must not lock are released.
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
