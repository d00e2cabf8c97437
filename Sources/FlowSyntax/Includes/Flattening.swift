import FlowModel

/// Merges a workflow and its included files into one workflow, so that the plan, the journal and the report treat all
/// steps as ordinary steps.
///
/// A step that includes a file keeps its position and becomes the exit, which returns the outputs of the file. After
/// the workflow's own steps come an entry, which binds the inputs, and the steps of the file with the prefix `ID/`.
struct Flattening {
  private var flat: Workflow
  private let library: IncludeLibrary
  /// For each scope, the chain of files from the main workflow to the scope's own file. Index 0 is the main workflow.
  private var stacks: [[String]]
  /// For each scope except the main workflow, the index of the scope that includes it.
  private var outerScopes: [Int] = []
  /// The name that messages use for each included file, by path. Names are unique.
  private var names: [ByteName: String] = [:]

  /// The error for a workflow that has too many steps after merging.
  struct TooLarge: Error {}

  static func flattened(_ workflow: Workflow, file: String, _ library: IncludeLibrary) throws(TooLarge) -> Workflow {
    guard workflow.steps.contains(where: { IncludeLibrary.isFile($0.uses) }) else { return workflow }
    var flattening = Flattening(flat: workflow, library: library, stacks: [[file]])
    try flattening.run()
    return flattening.flat
  }

  private mutating func run() throws(TooLarge) {
    flat.scopeOfStep = Array(repeating: 0, count: flat.steps.count)
    var next = 0
    while next < flat.steps.count {
      if IncludeLibrary.isFile(flat.steps[next].uses) {
        if flat.steps[next].hasOptions, flat.steps[next].options.fanOut != nil {
          try runForItems(at: next)
        } else {
          include(at: next)
        }
      }
      next += 1
      guard flat.steps.count <= Limits.steps else { throw TooLarge() }
    }
  }

  /// The folder of the main workflow. Names of files are relative to it.
  private var home: String { IncludeLibrary.folder(of: stacks[0].last ?? "") }

  /// Returns the name that messages use for a file. If it differs from another file's name only in Unicode
  /// normalization, a number is appended.
  private mutating func name(of path: String) -> String {
    if let known = names[ByteName(path)] { return known }
    let own = IncludeLibrary.name(of: path, from: home)
    var name = own
    var number = 2
    while names.values.contains(name) {
      name = "\(own) (\(number))"
      number += 1
    }
    names[ByteName(path)] = name
    return name
  }

  /// Replaces the use of a file in a step with `foreach` by an action that runs the file. The file's steps cannot be
  /// merged, because the number of items becomes known during the run, when the graph is fixed.
  private mutating func runForItems(at index: Int) throws(TooLarge) {
    let stack = stacks[Int(flat.scopeOfStep[index])]
    let entry = library.entry(flat.steps[index].uses, stack: stack)
    guard let inner = entry.workflow, let declaration = entry.declaration else { return }
    var flattening = Flattening(flat: inner, library: library, stacks: [stack + [entry.path]])
    try flattening.run()
    let name = "a run of \(name(of: entry.path))"
    let paths = flattening.stacks.compactMap(\.last)
    let digest = flattening.flat.itemWorkflows.values.reduce(library.digest(of: paths)) { $0 ^ $1.digest }
    let folder = IncludeLibrary.name(of: IncludeLibrary.folder(of: entry.path), from: home)
    flat.includes[name] = declaration
    flat.includeFolders[name] = folder
    flat.itemWorkflows[name] = ItemWorkflow(flattening.flat, folder: folder, digest: digest)
    flat.steps[index].uses = name
    if flat.steps[index].options.fanOut?.parallel == nil {
      flat.steps[index].options.fanOut?.parallel = Limits.usualItemWorkflows
    }
  }

  private mutating func include(at index: Int) {
    let caller = flat.steps[index]
    let outer = Int(flat.scopeOfStep[index])
    let entry = library.entry(caller.uses, stack: stacks[outer])
    guard let inner = entry.workflow, let declaration = entry.declaration else { return }
    let prefix = caller.id.text + "/"
    let entryIndex = StepIndex(flat.steps.count)
    let name = name(of: entry.path)
    let (inputs, outputs) = ("inputs of \(name)", "outputs of \(name)")
    var bound = declaration
    bound.requires = []
    flat.includes[inputs] = bound
    flat.includes[outputs] = Self.exitDeclaration(bound)
    var scope = WorkflowScope(
      prefix: prefix, folder: IncludeLibrary.name(of: IncludeLibrary.folder(of: entry.path), from: home),
      entry: entryIndex, exit: StepIndex(index),
      environment: inner.environment, environmentFiles: inner.environmentFiles)
    scope.file = entry.path
    flat.includeFolders[inputs] = scope.folder
    append(
      Step(
        id: StepID(unchecked: prefix), uses: inputs, with: caller.with, needs: caller.needs,
        options: Self.entryOptions(caller.options)), scope: outer)
    if outer > 0 { flat.scopes[outer - 1].members.append(entryIndex) }
    let number = flat.scopes.count + 1
    let first = StepIndex(flat.steps.count)
    let limit = inner.concurrency.map {
      QueueDeclaration(name: prefix, qualityOfService: .userInitiated, width: $0)
    }
    if let limit { flat.queues.append(limit) }
    let names = Renaming(
      inner, prefix: prefix, usualQueue: limit?.name, events: entry.events,
      declarations: { [library] in library.catalogDeclaration($0) })
    for queue in inner.queues where queue.name != QueueDeclaration.terminal {
      var renamed = queue
      renamed.name = prefix + queue.name
      flat.queues.append(renamed)
    }
    // There is only one terminal, so all files share its queue.
    if let queue = inner.queues.last, queue.name == QueueDeclaration.terminal, !flat.queues.contains(queue) {
      flat.queues.append(queue)
    }
    for event in inner.events {
      var renamed = event
      renamed.name = prefix + event.name
      flat.events.append(renamed)
    }
    for step in inner.steps {
      scope.members.append(StepIndex(flat.steps.count))
      var needs = step.needs.map { $0 + first }
      if needs.isEmpty { needs = [entryIndex] }
      append(
        Step(
          id: StepID(unchecked: prefix + step.id.text), uses: step.uses, with: names.inputs(of: step),
          needs: needs[...], options: names.options(of: step, in: caller.options)), scope: number)
    }
    waitForOwnSteps(of: scope)
    flat.scopes.append(scope)
    outerScopes.append(outer)
    stacks.append(stacks[outer] + [entry.path])
    flat.steps[index] = Step(
      id: caller.id, uses: outputs, with: inner.outputs, needs: ([entryIndex] + scope.members)[...],
      options: Self.exitOptions(caller.options))
    flat.scopeOfStep[index] = Int32(number)
    if scope.members.contains(where: isFinal) { keepGateFromWaiting(forScope: number) }
  }

  private func isFinal(_ step: StepIndex) -> Bool {
    flat.steps[Int(step)].hasOptions && flat.steps[Int(step)].options.isFinal
  }

  /// Makes the gate wait for the steps of an included file instead of its exit, because the exit also waits for
  /// `finally`. The same applies to the exits of the files that include it.
  private mutating func keepGateFromWaiting(forScope number: Int) {
    var next = number
    while next > 0 {
      flat.steps[Int(flat.scopes[next - 1].exit)].options.blocking = false
      next = outerScopes[next - 1]
    }
  }

  /// Makes the steps in a file's `finally` depend on all other steps of the file. Depending only on the last ones would
  /// not be enough: a step is skipped as soon as a dependency fails, even if other dependencies are still running.
  private mutating func waitForOwnSteps(of scope: WorkflowScope) {
    let own = scope.members.filter { !isFinal($0) }
    for step in scope.members where isFinal(step) {
      let final = flat.steps[Int(step)].needs.filter { scope.members.contains($0) && isFinal($0) }
      flat.steps[Int(step)].needs = (own + final)[...]
    }
  }

  private mutating func append(_ step: Step, scope: Int) {
    flat.steps.append(step)
    flat.scopeOfStep.append(Int32(scope))
  }

  /// Returns the declaration of the exit. Its inputs are the outputs of the file.
  private static func exitDeclaration(_ declaration: ActionDeclaration) -> ActionDeclaration {
    var exit = declaration
    exit.inputs = declaration.outputs.map { FieldDeclaration($0.name, .any, isRequired: false) }
    return exit
  }

  /// Returns the options of the entry: those of the including step that determine whether and when the file's steps
  /// start, whether the gate waits for them and what a failure causes.
  private static func entryOptions(_ options: StepOptions) -> StepOptions {
    var entry = StepOptions()
    entry.after = options.after
    entry.condition = options.condition
    entry.enabled = options.enabled
    entry.deferral = options.deferral
    entry.blocking = options.blocking
    entry.queue = options.queue
    entry.isExcused = options.isOptional || options.isExcused
    entry.includeRole = .entry
    return entry
  }

  /// Returns the options of the exit: the name and the queue of the including step, and those that determine whether
  /// the gate waits for it and what a failure causes.
  private static func exitOptions(_ options: StepOptions) -> StepOptions {
    var exit = StepOptions()
    exit.name = options.name
    exit.isOptional = options.isOptional
    exit.isExcused = options.isExcused
    exit.blocking = options.blocking
    exit.queue = options.queue
    exit.includeRole = .exit
    return exit
  }
}

/// Renames the events, queues and other names of an included file for the including workflow.
private struct Renaming {
  private let prefix: String
  private let events: Set<String>
  private let queues: Set<String>
  private let declarations: (String) -> ActionDeclaration?
  /// The queue for steps without a `queue`, or nil if the file has no `concurrency`.
  private let usualQueue: String?

  init(
    _ workflow: Workflow, prefix: String, usualQueue: String?, events: Set<String>,
    declarations: @escaping (String) -> ActionDeclaration?
  ) {
    self.prefix = prefix
    self.usualQueue = usualQueue
    self.declarations = declarations
    queues = Set(workflow.queues.map(\.name)).subtracting([QueueDeclaration.terminal])
    self.events = events
  }

  private func event(_ name: String) -> String { events.contains(name) ? prefix + name : name }

  /// Returns the inputs of a step with renamed events.
  func inputs(of step: Step) -> ValueObject {
    guard !step.with.isEmpty, let declaration = declarations(step.uses) else { return step.with }
    var with = step.with
    for input in [declaration.eventFromInput, declaration.calls?.event].compactMap({ $0 }) {
      if let name = with[input]?.stringValue { with[input] = .string(event(name)) }
    }
    return with
  }

  /// Returns the options of a step with renamed events and queues, combined with those of the including step that also
  /// apply to the steps of its file, such as the queue and `optional`.
  func options(of step: Step, in caller: StepOptions) -> StepOptions {
    var options = step.options
    options.isFinalInside = options.isFinal
    options.after = options.after.map(event)
    if let name = options.fanOut?.event { options.fanOut?.source = .posts(of: event(name)) }
    if let queue = options.queue {
      if queues.contains(queue) { options.queue = prefix + queue }
    } else {
      options.queue = usualQueue ?? caller.queue
    }
    options.blocking = options.isFinal ? false : options.blocking ?? caller.blocking
    options.isExcused = options.isExcused || caller.isOptional || caller.isExcused
    options.isQuiet = options.isQuiet || caller.isQuiet
    options.allowsColor = options.allowsColor && caller.allowsColor
    options.logLimitBytes = options.logLimitBytes ?? caller.logLimitBytes
    return options
  }
}
