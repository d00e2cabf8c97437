import FlowModel

extension Plan {
  /// Works out what is fixed about every step: flags, queue, rank. Called once before anything runs, and again at
  /// activation where an expression changed what is deferred.
  mutating func arrange(_ resolution: Resolution) {
    let steps = graph.workflow.steps
    var queues = PlanQueue.builtIn
    var queueIndices = NameIndices()
    for (index, queue) in queues.enumerated() { queueIndices[queue.name] = Int32(index) }
    for queue in graph.workflow.queues {
      queueIndices[queue.name] = Int32(queues.count)
      queues.append(
        PlanQueue(name: queue.name, lane: .slots(queue.qualityOfService), width: queue.width ?? .max))
    }
    hasOnlyBuiltInQueues = graph.workflow.queues.isEmpty
    let plainQueue = UInt16(2)
    let deferredQueue = UInt16(3)
    deferredSteps.removeAll()
    blockingCount = 0
    for place in steps.indices {
      traits[place].flags = .blocking
      traits[place].queue = plainQueue
      traits[place].firstSuccessor = graph.successorStarts[place]
      if states[place].status != .done { blockingCount += 1 }
    }
    // Without options no step is deferred, and all are alike.
    for index in graph.stepsWithOptions.isEmpty ? [] : graph.topologicalOrder {
      let place = Int(index)
      var flags: StepTraits.Flags = []
      var queue = plainQueue
      var isDeferred = false
      if !deferredSteps.isEmpty {
        for need in steps[place].needs where traits[Int(need)].flags.contains(.deferred) { isDeferred = true }
      }
      if steps[place].hasOptions {
        let options = steps[place].options
        switch options.deferral {
        case .never: break
        case .afterGate: isDeferred = true
        case .idle:
          isDeferred = true
          flags.insert(.idle)
        case .expression: isDeferred = isDeferred || resolution.deferred.contains(index)
        }
        if options.isOptional { flags.insert(.optional) }
        if options.prewarm && options.isFixedBeforeActivation { flags.insert(.prewarm) }
        if options.condition != nil { flags.insert(.conditional) }
        if options.deadline != nil || options.retry != nil { flags.insert(.timed) }
        queue = options.queue.flatMap { queueIndices[$0].map(UInt16.init) } ?? (isDeferred ? deferredQueue : plainQueue)
        if options.blocking ?? !isDeferred { flags.insert(.blocking) }
      } else {
        if isDeferred { queue = deferredQueue } else { flags.insert(.blocking) }
      }
      if isDeferred {
        flags.insert(.deferred)
        deferredSteps.append(index)
      }
      if resolution.disabled.contains(index) { flags.insert(.disabled) }
      traits[Int(index)].flags = flags
      traits[Int(index)].queue = queue
      if !flags.contains(.blocking), states[Int(index)].status != .done { blockingCount -= 1 }
    }
    (traits.baseAddress! + steps.count).pointee.firstSuccessor = Int32(graph.successors.count)
    for (index, fact) in facts {
      if fact.isService { traits[Int(index)].flags.insert(.service) }
      let functions = fact.statusFunctions
      if !functions.isDisjoint(with: [.failure, .always, .cancelled]) {
        traits[Int(index)].flags.insert(.seesFailure)
      }
      if functions.contains(.always) { traits[Int(index)].flags.insert(.always) }
      if !functions.isDisjoint(with: [.always, .cancelled]) { traits[Int(index)].flags.insert(.seesCancellation) }
    }
    rank(&queues)
    tables.setQueues(queues)
  }

  /// Orders the steps: on the way to a blocking one first, then longest remaining path by estimate, then file order.
  private mutating func rank(_ queues: inout [PlanQueue]) {
    let steps = graph.workflow.steps
    let count = steps.count
    guard !graph.stepsWithOptions.isEmpty else { return place(Array(0..<StepIndex(count)), in: &queues) }
    var leadsToBlocking = [Bool](repeating: false, count: count)
    var remaining = [Int](repeating: 0, count: count)
    var allAlike = true
    for index in graph.topologicalOrder.reversed() {
      let place = Int(index)
      var leads = traits[place].flags.contains(.blocking)
      var longest = 0
      for successor in graph.successors(of: index) {
        leads = leads || leadsToBlocking[Int(successor)]
        longest = max(longest, remaining[Int(successor)])
      }
      if steps[place].hasOptions, let estimate = steps[place].options.estimate {
        longest += estimate.high.nanoseconds
      }
      leadsToBlocking[place] = leads
      remaining[place] = longest
      allAlike = allAlike && leads == leadsToBlocking[Int(graph.topologicalOrder.last!)] && longest == 0
    }
    var order = Array(0..<StepIndex(count))
    if !allAlike {
      order.sort { left, right in
        let (left, right) = (Int(left), Int(right))
        if leadsToBlocking[left] != leadsToBlocking[right] { return leadsToBlocking[left] }
        if remaining[left] != remaining[right] { return remaining[left] > remaining[right] }
        return left < right
      }
    }
    place(order, in: &queues)
  }

  /// Gives the steps their ranks, and their places in their queues.
  private mutating func place(_ order: [StepIndex], in queues: inout [PlanQueue]) {
    for (rank, index) in order.enumerated() {
      let queue = Int(traits[Int(index)].queue)
      traits[Int(index)].rank = Int32(rank)
      traits[Int(index)].position = Int32(queues[queue].members.count)
      queues[queue].members.append(index)
    }
  }

  /// Gives each event an index and each step its count of what it waits for.
  mutating func linkEvents() {
    for index in states.indices { states[index].open = graph.needCounts[index] }
    for step in deferredSteps { states[Int(step)].open += 1 }
    for step in graph.stepsWithOptions {
      let events = graph.workflow.steps[Int(step)].options.after
      guard !events.isEmpty else { continue }
      for event in events { eventWaiters[Int(index(ofEvent: event))].append(step) }
      states[Int(step)].open += Int32(events.count)
      states[Int(step)].marks.insert(.awaitsEvent)
      eventSteps.append(step)
    }
  }

  /// The index of an event, made at its first mention.
  mutating func index(ofEvent name: String) -> Int32 {
    if let index = eventIndices[name] { return index }
    let index = Int32(eventNames.count)
    eventIndices[name] = index
    eventNames.append(name)
    eventTimes.append(never)
    eventWaiters.append([])
    return index
  }
}

extension StepOptions {
  /// Whether `enabled` and `defer` are known without the expressions that are evaluated at activation.
  fileprivate var isFixedBeforeActivation: Bool {
    if case .expression = enabled { return false }
    if case .expression = deferral { return false }
    return true
  }
}
