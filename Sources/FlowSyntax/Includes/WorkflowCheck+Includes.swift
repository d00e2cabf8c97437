import FlowDiagnostics
import FlowExpressions
import FlowModel
import FlowPlatform

/// Checks steps that include workflows: the keys of the step, and whether the file can be used.
extension WorkflowCheck {
  /// Returns the events of included files by the names that they have in this file, such as `build/done`. Files that
  /// run for items are not considered.
  func includedEvents() -> Set<String> {
    var events: Set<String> = []
    guard let includes = catalog as? IncludeCatalog,
      actions.entries.contains(where: { IncludeLibrary.isFile($0.name) })
    else { return events }
    for step in workflow.steps
    where IncludeLibrary.isFile(step.uses) && (!step.hasOptions || step.options.fanOut == nil) {
      let own = includes.library.entry(step.uses, stack: includes.stack).events
      events.formUnion(own.map { "\(step.id.text)/\($0)" })
    }
    return events
  }

  /// Returns the events of this file: those that it declares, those that its steps name in inputs, and those of
  /// included files.
  func ownEvents() -> Set<String> {
    var events = Set(workflow.events.map(\.name)).union(includedEvents())
    for (index, step) in workflow.steps.enumerated() {
      guard let input = actions.declaration(ofStep: index)?.eventFromInput,
        let event = step.with[input]?.stringValue
      else { continue }
      events.insert(event)
    }
    return events
  }

  mutating func checkIncludes() {
    guard actions.entries.contains(where: { IncludeLibrary.isFile($0.name) }) else { return }
    for step in workflow.steps.indices where IncludeLibrary.isFile(workflow.steps[step].uses) {
      if isSettled { return }
      let uses = workflow.steps[step].uses
      guard let includes = catalog as? IncludeCatalog else { continue }
      let entry = includes.library.entry(uses, stack: includes.stack)
      if let problem = entry.problem {
        report(
          .unknownAction, "step '\(name(step))' cannot use '\(uses)': \(problem)", at: span(.uses, of: step),
          help: "the path is relative to the file that contains it; 'flowrun validate' shows all problems of that file")
      }
      if entry.workflow?.keepsServices == true {
        report(
          .conflictingKeys, "step '\(name(step))' cannot use '\(uses)': that file has 'keep: services'",
          at: span(.uses, of: step),
          help: "move 'keep' to the file that is run; the services of an included file end with it")
      }
      let isFanOut = tree.member(StepKey.foreach.rawValue, of: locations.steps[step].value) != nil
      if isFanOut {
        checkItemWorkflow(entry, of: step)
      } else {
        let files = filesRun(by: entry)
        checkConcurrency(of: entry, files, step)
        checkEnvironmentFiles(of: files, step)
      }
      if workflow.steps[step].options.isFinal {
        report(
          .conflictingKeys, "step '\(name(step))' of 'finally' cannot include a workflow",
          at: span(.uses, of: step),
          help: "write the steps of that file here, or include it under 'steps'")
      }
      for key in isFanOut ? StepKey.notOnItemWorkflow : StepKey.notOnInclude {
        guard let member = tree.member(key.rawValue, of: locations.steps[step].value) else { continue }
        report(
          .conflictingKeys, "step '\(name(step))' includes a workflow and cannot have '\(key.rawValue)'",
          at: tree.span(member.key), related: [.init(span(.uses, of: step), "it uses a file here")],
          help: "set it on the steps of that file")
      }
    }
  }

  /// Reports an included file whose `env-file` depends on its inputs. `env-file` is read before these inputs are known.
  private mutating func checkEnvironmentFiles(of files: [FileRun], _ step: Int) {
    for (file, inner, _) in files where !inner.environmentFiles.isEmpty {
      let names = inner.environmentFiles.map(\.path)
      guard let name = names.first(where: { Template.containsExpression($0) }) else { continue }
      report(
        .conflictingKeys,
        "step '\(self.name(step))' cannot use '\(workflow.steps[step].uses)': the 'env-file' '\(name)' of '\(file)' reads "
          + "inputs, which are not known before the run",
        at: span(.uses, of: step), help: "name the file without an expression there, or set its variables under 'env'"
      )
    }
  }

  /// Reports conflicts with the `concurrency` of an included file, which is implemented as the queue of the file's
  /// steps.
  private mutating func checkConcurrency(
    of entry: IncludeLibrary.IncludableFile, _ files: [FileRun], _ step: Int
  ) {
    func cannot(_ reason: String, _ help: String) {
      report(
        .conflictingKeys, "step '\(name(step))' cannot use '\(workflow.steps[step].uses)': \(reason)",
        at: span(.uses, of: step), help: help)
    }
    let limited = files.filter { $0.workflow.concurrency != nil }.map(\.file)
    guard let first = limited.first else { return }
    if workflow.steps[step].options.queue != nil {
      cannot("the step has a 'queue', and '\(first)' a 'concurrency'", "keep one of the two")
    }
    guard entry.workflow?.concurrency != nil else { return }
    if limited.count > 1 {
      cannot("it has a 'concurrency', and so has '\(limited[1])' inside", "keep one of the two")
    }
    if let queued = files.first(where: {
      $0.workflow.steps.contains {
        $0.hasOptions && $0.options.queue != nil && $0.options.queue != QueueDeclaration.terminal
      }
    }) {
      cannot(
        "it has a 'concurrency', and '\(queued.file)' steps with a 'queue'",
        "give the queue a 'width' in place of 'concurrency'")
    }
  }

  /// The name, the workflow and the own events of an included file.
  private typealias FileRun = (file: String, workflow: Workflow, events: Set<String>)

  /// Returns an included file and all files that it includes directly or indirectly.
  private func filesRun(by entry: IncludeLibrary.IncludableFile) -> [FileRun] {
    guard let includes = catalog as? IncludeCatalog else { return [] }
    var found: [FileRun] = []
    var known: Set<String> = []
    func add(_ entry: IncludeLibrary.IncludableFile, _ stack: [String]) {
      guard let workflow = entry.workflow, known.insert(entry.path).inserted else { return }
      found.append((IncludeLibrary.fileName(entry.path), workflow, entry.events))
      for step in workflow.steps where IncludeLibrary.isFile(step.uses) {
        add(includes.library.entry(step.uses, stack: stack + [entry.path]), stack + [entry.path])
      }
    }
    add(entry, includes.stack)
    return found
  }

  /// Reports keys of a file and of its steps that do not work if a step runs the file for each item. Also reports a
  /// `parallel` above the limit for such runs.
  private mutating func checkItemWorkflow(_ entry: IncludeLibrary.IncludableFile, of step: Int) {
    func cannot(_ reason: String, _ help: String) {
      report(
        .conflictingKeys, "step '\(name(step))' cannot run '\(workflow.steps[step].uses)' for each item: \(reason)",
        at: span(.foreach, of: step), related: [.init(span(.uses, of: step), "it uses a file here")], help: help)
    }
    for (file, inner, events) in filesRun(by: entry) {
      if !inner.environmentFiles.isEmpty {
        cannot("'\(file)' has an 'env-file'", "set the variables under 'env' in that file")
      }
      for other in inner.steps where other.hasOptions {
        if let event = other.options.after.first(where: { !events.contains($0) }) {
          cannot(
            "step '\(other.id)' of '\(file)' waits for '\(event)', and no event from outside reaches it",
            "wait for it before, in a step that this one needs")
        }
        let count = workflow.steps[step].options.fanOut?.literalCount ?? 2
        if count > 1, other.options.condition == nil, other.options.fanOut == nil,
          let path = other.options.produces.map(\.pattern).first(where: {
            FilePattern.plainPath($0) != nil && !Template.containsExpression($0)
          })
        {
          cannot(
            "step '\(other.id)' of '\(file)' would produce '\(path)' for each of them",
            "use an input in the path, such as 'out/${{ inputs.name }}.txt'")
        }
        if other.options.queue == QueueDeclaration.terminal, workflow.steps[step].options.fanOut?.parallel != 1 {
          cannot(
            "step '\(other.id)' of '\(file)' is interactive, and the items would have the terminal at once",
            "write 'parallel: 1' next to 'foreach'")
        }
        if other.options.request != nil {
          cannot(
            "step '\(other.id)' of '\(file)' has 'resources', which are counted per run",
            "set them next to 'foreach'; they apply to each item")
        }
        if let executor = other.options.executor ?? inner.executor, executor != "local" {
          cannot(
            "step '\(other.id)' of '\(file)' runs on '\(executor)', but the workflow of an item runs here",
            "take 'executor' out of that file")
        }
      }
    }
    if let parallel = workflow.steps[step].options.fanOut?.parallel, parallel > Limits.itemWorkflows {
      cannot(
        "'parallel' is \(parallel), and at most \(Limits.itemWorkflows) such runs may run at once",
        "write \(Limits.itemWorkflows) or less; without it there are \(Limits.usualItemWorkflows)")
    }
  }
}

extension StepKey {
  /// The keys that a step cannot have if it includes a file.
  fileprivate static let notOnInclude: [StepKey] =
    [.retry, .deadline, .prewarm, .foreach, .env, .estimate, .onInterrupt, .inputsFrom, .produces, .resources]
  /// The keys that a step cannot have if it runs a file for each item.
  fileprivate static let notOnItemWorkflow: [StepKey] = [.prewarm, .env, .inputsFrom, .produces, .executor]
}
