import Dispatch
import FlowExpressions
import FlowModel
import FlowPluginKit
import FlowSecrets
import Synchronization

extension WorkflowRun {
  /// The time limit for closing a handle.
  private static let closeLimit = Duration.seconds(1)

  /// Ends a run whose steps have finished: closes handles, creates the report and passes it to everything that waits
  /// for it.
  func close() {
    let provided = handles.takeAll().filter { $0.step != nil }
    if provided.isEmpty { return makeReport() }
    Task { [self] in
      let abandoned = state.withLock { state in
        prepared.graph.workflow.steps.indices.filter { state.plan[StepIndex($0)].isAbandoned }
      }
      for entry in provided {
        if let holder = abandoned.first(where: { mayHold(StepIndex($0), entry) }) {
          warn(
            "'\(entry.key)' is left open: step '\(prepared.graph.workflow.steps[holder].id)', which was abandoned, may "
              + "still use it")
          continue
        }
        await close(entry)
      }
      makeReport()
    }
  }

  private func mayHold(_ step: StepIndex, _ entry: HandleTable.ProvidedHandle) -> Bool {
    step == entry.step || prepared.action(of: step).declaration.requires.contains(entry.key)
  }

  private func close(_ entry: HandleTable.ProvidedHandle) async {
    let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
      let once = Once(continuation)
      let queue = DispatchQueue(label: "flowrun.close", qos: .userInitiated)
      queue.async { @Sendable in
        do {
          try entry.close()
          once.resume(nil)
        } catch {
          once.resume("closing '\(entry.key)' failed: \(error)")
        }
      }
      wake(after: Self.closeLimit) { once.resume("'\(entry.key)' did not close within 1 s") }
    }
    if let outcome { warn(outcome) }
  }

  /// True if the run counts as a launch, so that `launch.first` is false for later runs: the window was shown or, if
  /// the workflow shows none, the conclusion is `success` or `partial`.
  private func countsAsLaunch(_ conclusion: RunConclusion, _ state: borrowing RunState) -> Bool {
    var showsWindow = false
    for step in prepared.graph.workflow.steps.indices.map({ StepIndex($0) })
    where prepared.action(of: step).declaration.events.contains(LifecycleEvent.uiReady.rawValue) {
      if state.plan.outcome(of: step) == .success { return true }
      showsWindow = true
    }
    return !showsWindow && (conclusion == .success || conclusion == .partial)
  }

  private func makeReport() {
    let executorWarnings = (options.placement?.warnings?() ?? []).map { mask?.masked($0) ?? $0 }
    var report = state.withLock { state -> RunReport in
      // Taking the records would copy the plan's memory if the report already shared it.
      state.collectRecords()
      var outputs = ValueObject()
      var problem: StepFailure?
      do throws(ExpressionError) {
        outputs = try prepared.outputs.evaluate(in: scope(nil, state))
      } catch {
        state.warnings.append("outputs: \(error.description)")
        if error.kind == .cutOutput { problem = hidden(StepFailure(error, in: "outputs")) }
      }
      var conclusion = state.plan.conclusion ?? .cancelled
      if problem != nil, conclusion == .success || conclusion == .partial { conclusion = .failure }
      if countsAsLaunch(conclusion, state), options.outer == nil, selection == nil,
        let problem = DataFolder(opened: run.dataFolder).noteLaunch()
      {
        state.warnings.append(problem)
      }
      outputs = hidingWithheld(outputs, state)
      if let mask {
        outputs = mask.masked(outputs)
        state.warnings = state.warnings.map { mask.masked($0) }
      }
      var report = RunReport(
        plan: state.plan, runID: run.id, wasPrewarmed: options.isPrewarmed, launchReason: state.launch.reason,
        outputs: outputs,
        warnings: state.threadShortage.warnings(threads: threads.peak) + state.warnings + executorWarnings,
        isDurable: journal?.history.isDurable ?? false)
      report.conclusion = conclusion
      report.outputsFailure = problem
      if state.plan.hasTimedOut {
        let message = prepared.graph.workflow.timeoutMessage
        report.ownFailures.append(StepFailure(code: RunReport.timedOut, message: message))
      }
      if let problem { report.ownFailures.append(problem) }
      report.selected = selection?.steps ?? []
      report.itemKeys = state.itemKeys
      report.itemNames = state.itemNames
      report.itemRuns = state.itemRuns
      report.mask = mask
      return report
    }
    removeTemporaries()
    if report.conclusion == .success { handOverTemporaries() }
    if options.outer == nil { handleLeftovers(removes: options.removesLeftovers && report.conclusion == .success) }
    if report.conclusion == .success { tidyItemRecords() }
    deadlines.stop()
    gateClock.stop()
    guard options.isObserved else {
      finishJournal(&report)
      return publish(report)
    }
    emit(.runFinished(report.conclusion))
    // This runs on the delivery thread, so that the observer has received all events before the report is available.
    delivery.schedule(afterNanoseconds: 0) { [self, report] in
      while drain() {}
      recordLastLines(of: state.withLock { $0.recordedLog.openSteps.sorted { $0.text < $1.text } })
      recordDroppedLines()
      delivery.stop()
      var report = report
      finishJournal(&report)
      publish(report)
    }
  }

  private func publish(_ report: RunReport) {
    let waiters = state.withLock { state in
      state.ended = EndedRun(report)
      defer { state.endWaiters = [] }
      return state.endWaiters
    }
    for waiter in waiters { waiter(report) }
  }
}

/// A continuation that several callers may resume. Only the first call has an effect.
private final class Once: Sendable {
  private let continuation: Mutex<CheckedContinuation<String?, Never>?>

  init(_ continuation: CheckedContinuation<String?, Never>) { self.continuation = Mutex(continuation) }

  func resume(_ value: String?) {
    let continuation = continuation.withLock { stored in
      defer { stored = nil }
      return stored
    }
    continuation?.resume(returning: value)
  }
}
