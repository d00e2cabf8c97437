import FlowModel

extension Plan {
  /// Determines the fixed properties of every step: flags, queue and rank. It is called when the plan is created, and
  /// again at activation if an expression has deferred steps.
  mutating func arrange(deferred: StepList, disabled: StepList) {
    let roles = GateRoles(graph, answers: deferred)
    var queues = PlanQueue.builtIn
    var queueIndices = NameIndices()
    for queue in graph.workflow.queues {
      queues.append(
        PlanQueue(name: queue.name, pool: .threads(queue.qualityOfService), width: queue.width ?? .max))
    }
    let firstRemoteQueue = queues.count
    for (index, queue) in queues.enumerated() { queueIndices[queue.name] = Int32(index) }
    hasOnlyBuiltInQueues = graph.workflow.queues.isEmpty
    let usualQueue = (
      whenDeferred: UInt16(Pool.threads(.usual(forDeferred: true)).index),
      otherwise: UInt16(Pool.threads(.usual(forDeferred: false)).index)
    )
    readiness.deferredSteps.removeAll()
    counts.blocking = 0
    for index in traits.indices {
      let step = StepIndex(index)
      let isDeferred = roles.isDeferred(step)
      traits[index].flags = roles.isBlocking(step) && isSelected(step) ? .blocking : []
      traits[index].queue = isDeferred ? usualQueue.whenDeferred : usualQueue.otherwise
      traits[index].firstSuccessor = graph.successorStarts[index]
      if isDeferred {
        traits[index].flags.insert(.deferred)
        readiness.deferredSteps.append(step)
      }
      if traits[index].flags.contains(.blocking), states[index].status != .done { counts.blocking += 1 }
    }
    (traits.baseAddress! + traits.count).pointee.firstSuccessor = Int32(graph.successors.count)
    for step in graph.stepsWithOptions {
      let own = graph.workflow.steps[Int(step)]
      traits[step].flags.formUnion(own.withOptions { Self.flags(of: $0) })
      if own.stated.contains(.queue), let name = own.withOptions({ $0.queue }), let queue = queueIndices[name] {
        traits[step].queue = UInt16(queue)
      }
    }
    if let remote { arrange(remote, behind: firstRemoteQueue, &queues) }
    arrangeRequests(&queues, capacity: capacity)
    for step in disabled { traits[step].flags.insert(.disabled) }
    for (step, fact) in facts { traits[step].flags.formUnion(Self.flags(of: fact)) }
    rank(&queues)
    setQueues(queues)
  }

  // A call would copy the options.
  @inline(__always)
  private static func flags(of options: borrowing StepOptions) -> StepTraits.Flags {
    var flags: StepTraits.Flags = []
    if case .idle = options.deferral { flags.insert(.idle) }
    if options.isOptional { flags.insert(.optional) }
    if options.prewarm && options.isFixedBeforeActivation { flags.insert(.prewarm) }
    // `!= nil` would copy the option.
    if case .some = options.condition { flags.insert(.conditional) }
    if case .some = options.deadline { flags.insert(.timed) }
    if case .some = options.retry { flags.insert(.timed) }
    if case .some = options.fanOut { flags.insert(.fanOut) }
    if options.isFinal { flags.formUnion([.final, .seesStatus, .seesCancellation]) }
    if options.isExcused { flags.insert(.excused) }
    switch options.includeRole {
    case .none: break
    case .entry: flags.insert(.entry)
    case .exit: flags.insert(.exit)
    }
    return flags
  }

  private static func flags(of fact: StepFacts) -> StepTraits.Flags {
    var flags: StepTraits.Flags = fact.isService ? .service : []
    let functions = fact.statusFunctions
    if !functions.isEmpty { flags.insert(.seesStatus) }
    if !functions.isDisjoint(with: [.always, .cancelled]) { flags.insert(.seesCancellation) }
    return flags
  }

  /// Ranks the steps: those that lead to a blocking step come first, then those with the longest remaining path by
  /// estimate, then in file order.
  private mutating func rank(_ queues: inout [PlanQueue]) {
    let steps = graph.workflow.steps
    let count = steps.count
    guard !graph.stepsWithOptions.isEmpty else { return assign(Array(0..<StepIndex(count)), to: &queues) }
    var leadsToBlocking = [Bool](repeating: false, count: count)
    var remaining = [Int](repeating: 0, count: count)
    var hasEstimates = false
    for step in graph.topologicalOrder.reversed() {
      let index = Int(step)
      var leads = traits[step].flags.contains(.blocking)
      var longest = 0
      for successor in graph.successors(of: step) {
        leads = leads || leadsToBlocking[Int(successor)]
        longest = max(longest, remaining[Int(successor)])
      }
      if steps[index].stated.contains(.estimate), let estimate = steps[index].options.estimate {
        longest += estimate.high.nanoseconds
      }
      leadsToBlocking[index] = leads
      remaining[index] = longest
      hasEstimates = hasEstimates || longest != 0
    }
    var order: [StepIndex] = []
    order.reserveCapacity(count)
    for step in 0..<count where leadsToBlocking[step] { order.append(StepIndex(step)) }
    for step in 0..<count where !leadsToBlocking[step] { order.append(StepIndex(step)) }
    if hasEstimates {
      order.sort { left, right in
        let (left, right) = (Int(left), Int(right))
        if leadsToBlocking[left] != leadsToBlocking[right] { return leadsToBlocking[left] }
        if remaining[left] != remaining[right] { return remaining[left] > remaining[right] }
        return left < right
      }
    }
    assign(order, to: &queues)
  }

  private mutating func assign(_ order: [StepIndex], to queues: inout [PlanQueue]) {
    for (rank, step) in order.enumerated() {
      let queue = Int(traits[step].queue)
      traits[step].rank = Int32(rank)
      traits[step].position = Int32(queues[queue].members.count)
      queues[queue].members.append(step)
    }
    // Steps that use the terminal run in file order, as users expect of prompts.
    if let queue = queues.firstIndex(where: { $0.name == QueueDeclaration.terminal }) {
      queues[queue].members.sort()
      for (position, step) in queues[queue].members.enumerated() { traits[step].position = Int32(position) }
    }
  }

  /// Sets the number of prerequisites of each step: its dependencies and events, one for the gate if it is deferred,
  /// and one for all other steps if it is in `finally`.
  mutating func countWhatIsWaitedFor() {
    for event in graph.workflow.events where event.repeats { events.declareRepeating(event.name) }
    // Most workflows have no facts. Sorting none would still make the runtime create three types.
    if !facts.isEmpty {
      for event in Set(facts.values.flatMap(\.followedEvents)).sorted() { events.declareRepeating(event) }
    }
    for index in states.indices { states[index].open = graph.dependencyCounts[index] }
    for step in readiness.deferredSteps { states[step].open += 1 }
    for step in graph.steps(stating: .events) {
      let names = options(of: step).after
      for name in names { events.waiters[events.index(of: name)].append(step) }
      states[step].open += Int32(names.count)
      states[step].marks.insert(.awaitsEvent)
      events.waitingSteps.append(step)
    }
    holdFinalSteps()
  }

  /// Arranges the steps again after expressions have deferred some. A deferred step that has not been queued also waits
  /// for the gate.
  mutating func rearrange(_ resolution: Resolution) {
    let before = traits.map(\.flags)
    let queued = states.indices.filter { states[$0].status == .queued }
    let occupied = zip(queues.indices, queues.map(\.occupied))
    arrange(deferred: resolution.deferred, disabled: resolution.disabled)
    for (index, count) in occupied { queues[index].occupied = count }
    for index in states.indices where traits[index].flags.contains(.deferred) && !before[index].contains(.deferred) {
      let step = StepIndex(index)
      switch states[step].status {
      case .waiting: states[step].open += 1
      case .held:
        move(step, to: .waiting)
        states[step].open += 1
        outstanding.heldForActivation.removeAll { $0 == step }
      default: break
      }
    }
    readiness.failed.removeAll { [traits] step in !traits[step].flags.contains(.blocking) }
    readiness.isAnyUnsatisfied = !readiness.failed.isEmpty
    for index in queued { queues[traits[index].queue].ready.insert(Int(traits[index].position)) }
    if machine != nil {
      for step in graph.stepsWithOptions where states[step].status != .waiting {
        growRequest(of: step, toAttempt: Int(states[step].attempt) + (states[step].status == .queued ? 1 : 0))
      }
    }
  }
}
