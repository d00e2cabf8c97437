import FlowExpressions
import FlowModel
import FlowPluginKit

/// A workflow that is ready to run: its actions were found, its expressions parsed and its literal inputs bound.
///
/// It can be prepared once and run many times.
public struct PreparedWorkflow: Sendable {
  /// The workflow that was prepared.
  package let graph: WorkflowGraph
  /// The handles that plugins provide to every run.
  let handles: [PluginHandle]
  /// The actions that the steps use, without duplicates.
  let actions: [RegisteredAction]
  /// For each step, the index of its action in ``actions``.
  let actionIndices: [Int32]
  /// The bodies of the actions in ``actions``.
  let bodies: StepBodies
  /// The details of steps that have inputs, conditions or other options, in file order.
  let details: [StepDetail]
  /// For each step, the index of its details in ``details``, or -1 if it has none.
  let detailIndices: [Int32]
  let facts: [StepIndex: StepFacts]
  let environment: PreparedObject
  /// The variables of each included workflow, by the index of its scope.
  let scopeEnvironments: [PreparedObject]
  let outputs: PreparedObject
  /// The rules for the values of events.
  let eventValues: EventValueRules
  /// The grace of items for which a workflow runs, in nanoseconds, by the name of that workflow in `uses`.
  private let itemGraces: [String: Int]
  let gateMin: PreparedDuration?
  let gateMax: PreparedDuration?

  /// The reason why a workflow cannot be prepared. Loading the workflow file would have found the same problem earlier
  /// and reported its location.
  public struct PreparationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The step that has the problem, or nil if the problem is not in a step.
    package var step: StepID?
    /// A description of the problem.
    package var message: String
    /// The id of the step, if there is one, and the problem.
    public var description: String { step.map { "step '\($0)': \(message)" } ?? message }
  }

  /// Prepares `graph` with the actions of `registry`. Throws if an action is missing or an expression does not parse.
  package init(_ graph: WorkflowGraph, registry: ActionRegistry) throws(PreparationProblem) {
    self.graph = graph
    handles = registry.handles
    // `mapValues` creates types at run time even if there are no workflows for items.
    var itemGraces: [String: Int] = [:]
    for (path, own) in graph.workflow.itemWorkflows {
      itemGraces[path] = own.workflow.stopTime().nanoseconds + Self.killedNanoseconds
    }
    self.itemGraces = itemGraces
    let workflow = graph.workflow
    var actions: [RegisteredAction] = []
    var known = NameIndices()
    var indices: [Int32] = []
    indices.reserveCapacity(workflow.steps.count)
    var details: [StepDetail] = []
    var plainFanOuts: Set<Int> = []
    var detailIndices = [Int32](repeating: -1, count: workflow.steps.count)
    var facts: [StepIndex: StepFacts] = [:]
    var last = (name: "", index: Int32(-1))
    let texts = workflow.texts
    // The posted events of steps matter only if a fan-out follows an event.
    let hasPosts = graph.steps(stating: .fanOut).contains { workflow.steps[Int($0)].options.fanOut?.event != nil }
    for index in workflow.steps.indices {
      let step = workflow.steps[index]
      if step.uses != last.name {
        if let index = known[step.uses] {
          last = (step.uses, index)
        } else {
          if let declaration = workflow.includes[step.uses] {
            actions.append(try Self.included(declaration, step, workflow, registry))
          } else if let action = registry.action(named: step.uses) {
            actions.append(action)
          } else {
            throw PreparationProblem(step: step.id, message: Self.missing(step.uses, registry))
          }
          last = (step.uses, Int32(actions.count - 1))
          known[step.uses] = last.index
        }
      }
      indices.append(last.index)
      if step.with.isEmpty, !step.stated.contains(.preparation),
        Self.isPlain(actions[Int(last.index)], hasPosts: hasPosts)
      {
        continue
      }
      let declaration = actions[Int(last.index)].declaration
      if let call = declaration.calls, let called = step.with[call.action]?.stringValue,
        registry.action(named: called) == nil, registry.newName(of: called) != nil
      {
        throw PreparationProblem(step: step.id, message: Self.missing(called, registry))
      }
      do throws(ExpressionError) {
        var detail = try StepDetail(
          step, declaration, includeFolder: workflow.includeFolders[step.uses], texts)
        if let call = declaration.calls {
          detail.call = try PreparedActionCall(call, step.with, texts) { registry.action(named: $0) }
        }
        if detail.hasPlainItems { plainFanOuts.insert(index) }
        if !detail.isPlain {
          detailIndices[index] = Int32(details.count)
          details.append(detail)
        }
        let fact = StepFacts(
          isService: declaration.isService, isCommandService: declaration.isCommandService,
          postedEvents: declaration.eventsPosted(with: step.with),
          statusFunctions: detail.condition?.statusFunctionSet ?? [], followedEvents: declaration.follows,
          isFedFromOutside: declaration.source == .outside)
        if fact.isService || !fact.statusFunctions.isEmpty || (hasPosts && !fact.postedEvents.isEmpty) {
          facts[StepIndex(index)] = fact
        }
      } catch {
        throw PreparationProblem(step: step.id, message: error.description)
      }
    }
    self.actions = actions
    bodies = StepBodies(actions, steps: indices, details: detailIndices, plainFanOuts: plainFanOuts)
    actionIndices = indices
    self.details = details
    self.detailIndices = detailIndices
    self.facts = facts
    var eventValues = EventValueRules(workflow)
    for action in actions { eventValues.add(action.declaration) }
    self.eventValues = eventValues
    do throws(ExpressionError) {
      environment = try PreparedObject(workflow.environment, texts)
      var scopes: [PreparedObject] = []
      // For an iterator, the runtime would create the type of the array.
      for index in workflow.scopes.indices {
        scopes.append(try PreparedObject(workflow.scopes[index].environment, texts))
      }
      scopeEnvironments = scopes
      outputs = try PreparedObject(workflow.outputs, texts)
      gateMin = try workflow.gate?.min.map { source throws(ExpressionError) in try PreparedDuration(source, texts) }
      gateMax = try workflow.gate?.max.map { source throws(ExpressionError) in try PreparedDuration(source, texts) }
    } catch {
      throw PreparationProblem(step: nil, message: error.description)
    }
  }

  private static func missing(_ action: String, _ registry: ActionRegistry) -> String {
    registry.newName(of: action).map { "'\(action)' is now '\($0)'; change the workflow and start a new run" }
      ?? "no action '\(action)' is installed"
  }

  /// Returns the action of a step that represents an included workflow or runs one for each item. The action of an
  /// entry or exit returns its inputs.
  private static func included(
    _ declaration: ActionDeclaration, _ step: Step, _ workflow: Workflow, _ registry: ActionRegistry
  ) throws(PreparationProblem) -> RegisteredAction {
    guard let own = workflow.itemWorkflows[step.uses] else {
      return RegisteredAction(declaration: declaration, body: .synchronous { inputs, _ in inputs })
    }
    let itemRun: ItemRun
    do {
      itemRun = ItemRun(
        prepared: try PreparedWorkflow(WorkflowGraph(own.workflow), registry: registry), folder: own.folder,
        parallel: step.options.fanOut?.parallel ?? 1)
    } catch {
      throw PreparationProblem(step: step.id, message: "'\(declaration.name)': \(error)")
    }
    return RegisteredAction(
      declaration: declaration,
      body: .asynchronous { inputs, context in try await itemRun.outputs(of: inputs, context) })
  }

  /// True if the action has no inputs, is not a service, and posts no event that matters, so that its steps need no
  /// details.
  private static func isPlain(_ action: RegisteredAction, hasPosts: Bool) -> Bool {
    action.declaration.inputs.isEmpty && !action.declaration.isService
      && !(hasPosts && !action.declaration.events.isEmpty)
  }

  /// Returns the details of a step, or nil if it needs only its action.
  func detail(of step: StepIndex) -> StepDetail? {
    let index = detailIndices[Int(step)]
    return index < 0 ? nil : details[Int(index)]
  }

  /// The time from killing a command to the end of its body. It is long, because a busy machine may suspend threads for
  /// seconds.
  private static let killedNanoseconds = 5_000_000_000

  /// Returns the grace of a step in nanoseconds. For commands, and for items that run a workflow, it is the time until
  /// their commands are killed plus some seconds; for all other steps it is `usual`.
  func graceNanoseconds(of step: StepIndex, usual: Int) -> Int {
    if let grace = itemGraces[graph.workflow.steps[Int(step)].uses] { return grace }
    guard action(of: step).declaration.shellTextInput != nil else { return usual }
    let stated = graph.workflow.steps[Int(step)].with[StopPolicy.input]?.objectValue
    let policy = stated.flatMap { try? StopPolicy($0) } ?? StopPolicy()
    return policy.within.nanoseconds + Self.killedNanoseconds
  }

  func action(of step: StepIndex) -> RegisteredAction { actions[Int(actionIndices[Int(step)])] }
}
