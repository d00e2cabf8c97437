import ArgumentParser
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

/// `flowrun resume`: goes on with a run whose process is gone, or that did not end well.
struct ResumeCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Goes on with a run that was interrupted or failed, without doing twice what was done.",
    discussion: """
      RUN is a prefix or a suffix of a run's id, 'last', 'last-failed', or a workflow file: its newest unfinished run.
      Steps that ended well are kept with their outputs; all others, and what needs them, run again, with the inputs of \
      the run. What is kept and what runs is printed first.
      """)

  @Argument(help: "The run, or a workflow file; default: the newest unfinished run.")
  var run: String?

  @Option(
    help:
      "Begins again from this step, or from one item of it ('convert[3]'), though it ended well; may be given more than once."
  )
  var from: [String] = []

  @Flag(help: "Keeps steps that ended well and are others now in the file.")
  var keepChanged = false

  @Flag(help: "Runs steps again that ended well and are others now in the file.")
  var rerunChanged = false

  @Flag(help: "Prints what would be kept and what would run, and runs nothing.")
  var dryRun = false

  @OptionGroup var output: OutputArguments
  @OptionGroup var place: RunPlace
  @OptionGroup var plugins: PluginArguments

  func perform() async throws {
    guard !keepChanged || !rerunChanged else {
      throw UsageProblem("--keep-changed and --rerun-changed say opposite things; write one of them")
    }
    let isFile = run.map { $0.contains(".") && FilePath.exists($0) } ?? false
    let store = try RunMemory.open(isFile ? run! : place.place, writes: !dryRun)
    let stored = try find(isFile, try store.runs(RunFilter()))
    let short = RunReference.short(stored.id)
    guard stored.state != .running else { throw StoreProblem.held(run: short, by: stored.holder) }
    guard stored.state != .success || !from.isEmpty else {
      StandardOutput.write("run \(short) succeeded: nothing is left to do\n")
      return
    }
    var request = RunRequest(file: stored.file)
    request.isJSON = output.json
    request.report = output.report
    request.trace = output.trace
    request.isQuiet = output.quiet
    request.isStrict = output.strict
    request.pluginFolders = plugins.folders
    let resume = try PreparedResume(stored, store, request, self)
    if !output.json || dryRun {
      StandardOutput.write(
        ResumeText.text(
          resume.plan, resume.prepared.graph, run: stored.id, style: TextStyle(isColored: StandardOutput.allowsColor)))
    }
    if dryRun { return }
    let session = try RunSession(request, resuming: resume)
    await session.end(session.run.report)
  }

  private func find(_ isFile: Bool, _ runs: [StoredRun]) throws -> StoredRun {
    if let run, !isFile { return try RunReference.find(run, in: runs) }
    let file = run.map(FilePath.absolute)
    let own = runs.filter { $0.file == file || file == nil }
    if let unfinished = own.first(where: { $0.state != .success && $0.state != .running }) { return unfinished }
    if let running = own.first(where: { $0.state == .running }) {
      throw StoreProblem.held(run: RunReference.short(running.id), by: running.holder)
    }
    throw UsageProblem("no run \(run.map { "of '\($0)' " } ?? "")is unfinished; see flowrun runs")
  }
}

/// A resume that has been worked out and has changed nothing yet.
struct PreparedResume {
  let run: StoredRun
  let store: any RunStore
  let prepared: PreparedWorkflow
  let plan: ResumePlan
  let history: RunHistory
  let installation: Installation

  init(_ run: StoredRun, _ store: any RunStore, _ request: RunRequest, _ command: ResumeCommand) throws {
    self.run = run
    self.store = store
    installation = try Installation(around: run.file, given: request.pluginFolders)
    let remembered = try RememberedRun(run, store, installation)
    // The file as it is now; where it is gone, as it was.
    let bytes = (try? FileAccess.read(run.file)) ?? remembered.definition
    let result = WorkflowLoader(catalog: installation.registry, files: FileAccess.included)
      .load(bytes: bytes, file: run.file)
    guard let graph = result.graph else {
      throw InvalidWorkflow(
        description: result.rendered(usesColor: StandardOutput.errorAllowsColor)
          + "flowrun: run \(RunReference.short(run.id)) cannot go on as the file is now\n")
    }
    let header = remembered.recollection.header
    guard FilePath.exists(header.dataFolder) else {
      throw InvalidWorkflow(
        description: "flowrun: the data folder '\(TerminalText.visible(header.dataFolder))' of run "
          + "\(RunReference.short(run.id)) is gone; restore it, or start a new run\n")
    }
    do throws(PreparedWorkflow.Problem) {
      prepared = try PreparedWorkflow(graph, registry: installation.registry)
    } catch {
      throw InvalidWorkflow(description: "\(TerminalText.visible(run.file)): error: \(error)\n")
    }
    var wish = ResumePlan.Wish()
    wish.changes = command.keepChanged ? .keep : command.rerunChanged ? .rerun : .refuse
    for name in command.from {
      let item = StepID(unchecked: name).item
      let id = item?.step.text ?? name
      guard let index = graph.workflow.steps.firstIndex(where: { $0.id.text == id }) else {
        throw UsageProblem("--from: " + RunsCommand.Show.unknown(id, graph.workflow))
      }
      guard let item else {
        wish.from.append(StepIndex(index))
        continue
      }
      let count = remembered.recollection.itemCount(ofStepNamed: id, in: remembered.graph)
      guard item.index < count else {
        let has = count == 0 ? "had no items" : "had \(count) items, [0] to [\(count - 1)]"
        throw UsageProblem("--from: there is no '\(name)': in that run '\(id)' \(has)")
      }
      wish.items[StepIndex(index), default: []].insert(item.index)
    }
    do throws(ResumePlan.Refusal) {
      plan = try ResumePlan(remembered.recollection, of: remembered.graph, as: prepared, wish)
    } catch {
      throw InvalidWorkflow(description: Self.text(error, run, result))
    }
    history = RunMemory.history(of: run.file, result.definition, isDurable: header.isDurable)
  }

  /// What the engine is asked for besides what the journal says.
  func options(_ request: RunRequest) -> RunOptions {
    var options = RunOptions(
      dataFolder: plan.header.dataFolder, workflowFolder: FilePath.folder(of: run.file))
    options.showsOutput = !request.isQuiet
    return options
  }

  /// Goes on with the run.
  func start(_ engine: Engine, _ options: RunOptions) throws -> WorkflowRun {
    try engine.resume(run.id, as: prepared, plan, in: store, history, options: options)
  }

  private static func place(of span: Span, _ source: SourceText) -> String {
    let location = LineTable(source).location(of: span.start)
    return ":\(location.line):\(location.column)"
  }

  /// Why a run cannot go on, for people.
  private static func text(_ refusal: ResumePlan.Refusal, _ run: StoredRun, _ result: LoadResult) -> String {
    switch refusal {
    case .neverActivated:
      return
        "flowrun: run \(RunReference.short(run.id)) was never activated, so nothing of it can go on; start a new run\n"
    case .changed(let steps):
      var text = ""
      for step in steps.prefix(20) {
        let place = result.span(of: step).map { Self.place(of: $0, result.source) } ?? ""
        text +=
          "\(TerminalText.visible(run.file))\(place): error: step "
          + "'\(result.graph?.workflow.steps[Int(step)].id.text ?? "")' ended well and is another now\n"
      }
      return text
        + "flowrun: write --keep-changed to keep what such steps gave, or --rerun-changed to run them again\n"
    }
  }
}
