import FlowModel
import FlowPlatform
import FlowPluginKit

/// The item of an outer run for which an inner run is started.
package struct OuterRun: Sendable {
  /// The outer run, which the item belongs to.
  let run: WorkflowRun
  let instance: StepIndex
  /// The name of the item's records in the data folder. It does not depend on the item's position in the list.
  let recordID: StepID
  /// The number of the item's attempt.
  let attempt: Int
  /// The number of cores that the inner run uses at its start.
  let cores: Int
}

/// Runs a workflow for an item of a step, as an inner run. It shares the threads, data folder, launch and handles of
/// the outer run. Output and questions of its steps appear as those of the item, and it is cancelled together with the
/// item.
struct ItemRun: Sendable {
  let prepared: PreparedWorkflow
  /// The folder of the item's workflow file, relative to the folder of the outer workflow.
  let folder: String
  /// The maximum number of items of the step that run at once.
  let parallel: Int

  /// Runs the workflow with these inputs and returns its outputs. Throws an ``ActionError`` with the code
  /// `include-failed` if the workflow cannot start or fails, or with the code of a failure in its `outputs`, and a
  /// `CancellationError` if the item was asked to end.
  func outputs(of inputs: ValueObject, _ context: ActionContext) async throws -> ValueObject {
    guard let outer = context.host as? WorkflowRun else {
      throw ActionError("include-failed", "a workflow runs for an item only in a run", isRetryable: false)
    }
    let run = WorkflowRun(prepared, options: options(inputs, outer, context), runID: context.idempotencyKey)
    let began = outer.nowNanoseconds
    do {
      try run.start()
    } catch {
      throw ActionError("include-failed", error.description, isRetryable: false)
    }
    context.onCancel { run.cancel() }
    let report = await run.report
    for warning in report.warnings { context.log(warning, level: .warning) }
    outer.keep(report, of: context.step, beganAt: began)
    switch report.conclusion {
    case .success, .partial: return report.outputs
    case .cancelled where context.isCancelled: throw CancellationError()
    case .cancelled, .failure:
      if let failure = report.outputsFailure { throw ActionError(failure.code, failure.message, isRetryable: false) }
      throw ActionError("include-failed", Self.reason(in: report))
    }
  }

  private func options(_ inputs: ValueObject, _ outer: WorkflowRun, _ context: ActionContext) -> RunOptions {
    let home = outer.run.workflowFolder
    var options = RunOptions(
      dataFolder: outer.run.dataFolder, workflowFolder: folder.isEmpty ? home : "\(home)/\(folder)")
    options.inputs = inputs
    options.launch = outer.launch
    if !outer.options.forcedSteps.isDisjoint(with: ["*", outer.id(ofOwner: context.step)]) {
      options.forcedSteps = ["*"]
    }
    options.jitterSeed = outer.options.jitterSeed ^ UInt64(context.step)
    options.threads = outer.options.threads
    options.shortStepNanoseconds = outer.options.shortStepNanoseconds
    options.graceNanoseconds = outer.options.graceNanoseconds
    options.lastCallsNanoseconds = outer.options.lastCallsNanoseconds
    options.showsOutput = outer.showsOutput(of: context.step)
    options.forcesColor = outer.options.forcesColor && outer.allowsColor(of: context.step)
    options.outer = OuterRun(
      run: outer, instance: context.step, recordID: outer.recordID(ofItem: context.step), attempt: context.attempt,
      cores: max(1, activeCores() / parallel))
    options.observe(by: ItemLines(context))
    if let traceparent = outer.options.traceparent {
      let prefix = "\(context.stepID)/"
      options.traceparent = { traceparent(prefix + $0, $1) }
    }
    return options
  }

  private static func reason(in report: RunReport) -> String {
    guard let step = report.troubledSteps.first(where: { $0.conclusion == .failure || $0.conclusion == .timedOut })
    else { return "it ended as '\(report.conclusion.rawValue)'" }
    let failure = step.failure.map { ": \($0.code): \($0.message)" } ?? ""
    return "step '\(step.id)' \(step.conclusion == .timedOut ? "timed out" : "failed")\(failure)"
  }
}

/// Reports the events of an item's run as output lines of the item.
private struct ItemLines: LineObserver {
  let context: ActionContext

  init(_ context: ActionContext) { self.context = context }

  var detail: RunDetail { .brief }

  func receive(_ parts: [RunPart]) {
    for part in parts {
      switch part {
      case .events(let events): receive(events)
      case .lines(let lines): context.log(lines.lines.prefixed(by: "\(lines.step): "), from: lines.stream)
      }
    }
  }

  func receive(_ events: [RunEvent]) {
    for event in events {
      switch event.kind {
      case .stepLog(let step, _, let stream?, let line): context.log(["\(step): \(line)"], from: stream)
      case .stepLog(let step, let level, nil, let line): context.log("\(step): \(line)", level: level)
      case .pluginLog(let plugin, let stream, let line): context.host.log([line], from: stream, plugin: plugin)
      case .stepRetrying(let step, _, _, let failure):
        context.log("\(step): tries again\(failure.map { " after \($0.code): \($0.message)" } ?? "")", level: .warning)
      default: break
      }
    }
  }
}

extension WorkflowRun {
  fileprivate func id(ofOwner instance: StepIndex) -> String {
    prepared.graph.workflow.steps[Int(instances.owner(of: instance))].id.text
  }

  /// Stores the step results of an item's workflow for the report, unless the report would become too large.
  func keep(_ report: RunReport, of instance: StepIndex, beganAt began: Int) {
    let limit = report.conclusion == .failure ? 2 * Limits.itemWorkflowSteps : Limits.itemWorkflowSteps
    state.withLock { state in
      state.itemRuns[instance] = nil
      guard state.itemStepCount + report.stepCount <= limit else { return }
      state.itemStepCount += report.stepCount
      state.itemRuns[instance] = ItemRunSteps(beganAt: began, steps: report.steps)
    }
  }
}

/// The results of the steps in an item's workflow.
struct ItemRunSteps: Sendable {
  /// The start of the item's run, in nanoseconds from the start of the outer run.
  var beganAt: Int
  var steps: [RunReport.Step]
}
