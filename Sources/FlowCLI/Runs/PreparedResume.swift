import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginHost
import FlowSecrets
import FlowStore
import FlowSyntax
import FlowSystem

/// A plan to resume a run. Nothing has been changed so far.
struct PreparedResume {
  let run: StoredRun
  let store: any RunStore
  let prepared: PreparedWorkflow
  let plan: ResumePlan
  let history: RunHistory
  let installation: Installation
  /// The result of loading the current workflow file.
  let loaded: LoadResult
  /// The values of secret inputs, which the user must provide again.
  private let inputs: ValueObject

  init(_ run: StoredRun, _ store: any RunStore, _ request: RunRequest, _ command: ResumeCommand) throws {
    self.run = run
    self.store = store
    installation = try Installation(around: run.file, given: request.pluginFolders)
    let recorded = try HistoryRun(run, store, installation)
    // If the workflow file is missing, use the recorded definition.
    let bytes = (try? FileAccess.read(run.file)) ?? recorded.definition
    let isSame = bytes == recorded.definition
    let result =
      isSame
      ? recorded.loaded
      : WorkflowLoader(catalog: installation.registry, files: FileAccess.included).load(bytes: bytes, file: run.file)
    loaded = result
    guard let graph = result.graph else {
      throw InvalidWorkflow(
        description: result.rendered(usesColor: StandardOutput.errorAllowsColor)
          + "flowrun: run \(RunReference.short(run.id)) cannot be resumed with the file as it is now\n")
    }
    let header = recorded.recollection.header
    inputs = try InputArguments.readSecrets(request.inputs, for: graph.workflow.inputs, besides: header)
    guard FilePath.exists(header.dataFolder) else {
      throw InvalidWorkflow(
        description: "flowrun: the data folder '\(TerminalText.visible(header.dataFolder))' of run "
          + "\(RunReference.short(run.id)) is missing; restore it, or start a new run\n")
    }
    do throws(PreparedWorkflow.PreparationProblem) {
      prepared = try PreparedWorkflow(graph, registry: installation.registry)
    } catch {
      throw InvalidWorkflow(description: "\(TerminalText.visible(run.file)): error: \(error)\n")
    }
    history = try RunMemory.history(
      of: run.file, result.definition, graph.workflow, installation, isDurable: header.isDurable, store: request.store)
    let wish = try Self.wish(command, graph.workflow, recorded)
    do throws(ResumePlan.Refusal) {
      plan = try ResumePlan(
        recorded.recollection, of: isSame ? nil : recorded.graph, as: prepared, programs: history.programs(), wish)
    } catch {
      throw Self.problem(error, run, result, isSameFile: isSame)
    }
  }

  private static func wish(
    _ command: ResumeCommand, _ workflow: Workflow, _ recorded: HistoryRun
  ) throws(UsageProblem) -> ResumePlan.Wish {
    func step(_ name: String, _ option: String) throws(UsageProblem) -> StepIndex {
      guard let index = workflow.steps.firstIndex(where: { $0.id.text == name }) else {
        throw UsageProblem("\(option): " + LoadedWorkflow.unknownStep(name, workflow))
      }
      return StepIndex(index)
    }
    var wish = ResumePlan.Wish()
    wish.changes = command.keepChanged ? .keep : command.rerunChanged ? .rerun : .refuse
    for name in command.only {
      if let item = RecordedStep.item(in: name), workflow.steps.contains(where: { $0.id.text == item.step }) {
        let item = "\(item.step)[\(item.index)]"
        throw UsageProblem(
          "--only '\(item)': it takes whole steps; --from '\(item)' runs an item and its dependents again")
      }
      wish.only.append(try step(name, "--only"))
    }
    for name in command.from {
      let chosen = try RecordedStep(name, of: workflow, in: recorded, option: "--from: ")
      let step = try step(chosen.id, "--from")
      if let item = chosen.item { wish.items[step, default: []].insert(item) } else { wish.from.append(step) }
    }
    return wish
  }

  /// The steps that have finished in an earlier process and do not run again.
  var keptSteps: Set<StepIndex> {
    Set(plan.fates.indices.lazy.filter { plan.fates[$0] == .kept }.map { StepIndex($0) })
  }

  /// Returns the options for the engine, except those that the journal contains.
  func options(_ request: RunRequest) throws(UsageProblem) -> RunOptions {
    var options = RunOptions(
      dataFolder: plan.header.dataFolder, workflowFolder: FilePath.folder(of: run.file))
    options.showsOutput = !request.isQuiet
    options.capacity = try MachineArguments.capacity(request.resources)
    if let wait = try request.filesWithinDuration { options.fileWait = wait }
    options.inputs = inputs
    options.forcedSteps = Set(plan.header.forcedSteps)
    options.endsOutsideServices = !prepared.graph.workflow.keepsServices
    // If the earlier process was interrupted, its workers may still be running for a while.
    if run.state == .interrupted, plan.hadRemoteSteps { options.takeoverPause = PulseRhythm().silence }
    return options
  }

  /// Makes this process the holder of the run, so that no other process can resume it.
  func claim(_ engine: Engine, _ options: RunOptions) throws -> ClaimedRun {
    do {
      return try engine.claim(run.id, as: prepared, plan, in: store, history, options: options)
    } catch let missing as SecretMask.MissingSecret {
      throw InvalidWorkflow(
        description: "flowrun: what steps of run \(RunReference.short(run.id)) gave holds the secret "
          + "'\(missing.name)', a part of which is no longer available; name those steps with --from, or start a "
          + "new run\n")
    }
  }

  private static func place(of span: TextSpan, _ source: SourceText) -> String {
    let location = LineTable(source).location(of: span.start)
    return ":\(location.line):\(location.column)"
  }

  /// Returns the error for a run that cannot be resumed for this reason.
  private static func problem(
    _ refusal: ResumePlan.Refusal, _ run: StoredRun, _ result: LoadResult, isSameFile: Bool
  ) -> any Error {
    let steps = result.graph?.workflow.steps ?? []
    switch refusal {
    case .neverActivated:
      return InvalidWorkflow(
        description: "flowrun: run \(RunReference.short(run.id)) was never activated, so it cannot be resumed; "
          + "start a new run\n")
    case .needs(let step, let need):
      return UsageProblem(
        "--only \(steps[Int(step)].id): it needs '\(steps[Int(need)].id)', which has not succeeded; add --only "
          + "\(steps[Int(need)].id)")
    case .changed(let changed):
      let what = isSameFile ? "the program of its plugin has changed" : "the step has changed since"
      var text = ""
      for step in changed.prefix(20) {
        let place = result.span(of: step).map { Self.place(of: $0, result.source) } ?? ""
        let subject = steps[Int(step)].options.fanOut == nil ? "step" : "items of step"
        text +=
          "\(TerminalText.visible(run.file))\(place): error: \(subject) '\(steps[Int(step)].id)' succeeded before, and "
          + "\(what)\n"
      }
      return InvalidWorkflow(
        description: text
          + "flowrun: write --keep-changed to keep the outputs of such steps, or --rerun-changed to run them again\n")
    }
  }
}
