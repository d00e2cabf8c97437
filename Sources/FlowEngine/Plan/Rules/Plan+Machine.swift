import FlowModel

/// The state that the plan keeps about the machine's resources.
struct MachineCount: Sendable {
  /// The machine's capacity.
  let capacity: MachineResources
  /// The waiting step that other steps last started ahead of, and how many have done so.
  var passed: Passed?

  struct Passed: Sendable {
    var step: StepIndex
    var count: Int
  }
}

// Steps with `resources`: those with equal requests have a separate queue with the name and width of their original
// queue. A queue may start a step if its request fits in the free resources. These are computed from the running steps
// when they are needed, so no state must be kept consistent, and workflows without `resources` are not affected. A step
// whose request grows with the attempt has a queue of its own, which requests the resources of its next attempt.
//
// The rule: steps start by rank. If a step does not fit, later steps that fit start ahead of it. That happens at most
// four times for the first waiting step by rank. From then on, later steps start only if enough resources for that step
// stay free. So every step starts once the earlier ones have finished, and the machine is seldom idle because of it.
extension Plan {
  /// The number of steps that start ahead of a step of lower rank that waits for the machine.
  static let passesOfWaiting = 4

  /// Moves steps with equal requests into a queue of their own.
  mutating func arrangeRequests(_ queues: inout [PlanQueue], capacity: MachineResources) {
    var indices: [RequestQueue: Int] = [:]
    func index(of key: RequestQueue) -> Int {
      if let index = indices[key] { return index }
      let base = queues[key.base]
      queues.append(
        PlanQueue(name: base.name, pool: base.pool, width: base.width, request: key.request, base: key.base))
      indices[key] = queues.count - 1
      return queues.count - 1
    }
    let usual = [false, true].map { Pool.threads(.usual(forDeferred: $0)).index }
    for step in graph.steps(stating: .request) {
      let base = Int(traits[step].queue)
      guard let request = options(of: step).request, countsRequests(of: step, in: queues[base]) else { continue }
      let owner = options(of: step).laterRequests.isEmpty ? nil : step
      func key(_ base: Int) -> RequestQueue { RequestQueue(base: base, request: request, owner: owner) }
      // Both default queues, so the list is the same whatever expressions have deferred. Rearranging relies on that.
      if usual.contains(base) { for queue in usual { _ = index(of: key(queue)) } }
      traits[step].queue = UInt16(index(of: key(base)))
    }
    guard !indices.isEmpty else { return }
    hasOnlyBuiltInQueues = false
    if machine == nil { machine = MachineCount(capacity: capacity) }
  }

  /// The key of a queue for steps with equal requests.
  private struct RequestQueue: Hashable {
    var base: Int
    var request: MachineResources
    /// The only step of the queue, or nil for all steps with this request.
    var owner: StepIndex?
  }

  /// Sets the request of a step's queue to that of the attempt that is about to start. Items of a fan-out share the
  /// queue, so its request is the largest of any item so far. Together they never exceed the capacity.
  mutating func growRequest(of step: StepIndex, toAttempt attempt: Int) {
    guard let current = queues[traits[step].queue].request, !options(of: step).laterRequests.isEmpty,
      var request = options(of: step).request(ofAttempt: attempt)
    else { return }
    // An attempt that follows a lost one may request more than the capacity, and would wait for ever.
    if attempt > options(of: step).retry?.attempts ?? 1, !request.fits(in: capacity) { return }
    if traits[step].flags.contains(.fanOut) { request = request.most(with: current) }
    queues[traits[step].queue].request = request
  }

  /// The main thread runs one step at a time, services never return their resources, and a remote engine counts by
  /// itself.
  private func countsRequests(of step: StepIndex, in queue: PlanQueue) -> Bool {
    if queue.pool == .main || facts[step]?.isService == true { return false }
    guard queue.pool == .remote, let executor = remote?.assignment[step] else { return true }
    return remote?.executors[executor].countsHere ?? true
  }

  /// True if steps request resources of the machine.
  package var countsMachine: Bool { machine != nil }

  /// The current state of the machine, or nil if no step requests resources.
  var machineReading: MachineReading? { machine.map { MachineReading($0, tables) } }

  /// Records that a step is about to start, possibly ahead of a waiting one.
  mutating func noteStartOnMachine(_ step: StepIndex) {
    guard queues[traits[step].queue].request != nil, let reading = machineReading else { return }
    if machine?.passed?.step == step { machine?.passed = nil }
    guard let waiting = reading.waiting, waiting.rank < traits[step].rank else { return }
    let count = machine?.passed?.step == waiting.step ? machine?.passed?.count ?? 0 : 0
    machine?.passed = MachineCount.Passed(step: waiting.step, count: count + 1)
  }
}

/// The state of the machine at an instant: its free resources and the first waiting step.
struct MachineReading {
  private let tables: StepTables
  private(set) var free: MachineResources
  /// The first step by rank that would start if more resources were free.
  private(set) var waiting: (step: StepIndex, rank: Int32, request: MachineResources)?
  /// True if the resources that this step requests are reserved for it.
  private var isKept = false

  init(_ machine: MachineCount, _ tables: StepTables) {
    self.tables = tables
    free = machine.capacity
    for queue in tables.queues where queue.occupied > 0 {
      if let request = queue.request { free = free.without(request, times: queue.occupied) }
    }
    for index in tables.queues.indices {
      guard let request = tables.queues[index].request, !request.fits(in: free), let first = first(of: index),
        hasRoom(index)
      else { continue }
      if waiting == nil || first.rank < waiting!.rank { waiting = (first.step, first.rank, request) }
    }
    if let passed = machine.passed, passed.step == waiting?.step { isKept = passed.count >= Plan.passesOfWaiting }
  }

  private func first(of index: Int) -> (step: StepIndex, rank: Int32)? {
    guard let lowest = tables.queues[index].ready.lowest else { return nil }
    let step = tables.queues[index].members[lowest]
    return (step, tables.traits[step].rank)
  }

  /// The number of additional steps that the queue's width allows.
  private func room(_ index: Int) -> Int {
    let width = tables.queues[index].width
    guard width != .max else { return .max }
    let base = tables.queues[index].base ?? index
    var occupied = 0
    for other in tables.queues.indices where (tables.queues[other].base ?? other) == base {
      occupied += tables.queues[other].occupied
    }
    return width - occupied
  }

  private func hasRoom(_ index: Int) -> Bool { room(index) > 0 }

  /// The number of steps of a queue that could start now.
  func startable(_ index: Int, ready: Int) -> Int {
    guard canStart(index) else { return 0 }
    return min(ready, room(index), tables.queues[index].request?.count(in: free) ?? .max)
  }

  /// True if a step of a queue may start.
  func canStart(_ index: Int) -> Bool {
    guard let first = first(of: index), hasRoom(index) else { return false }
    guard let request = tables.queues[index].request else { return true }
    guard request.fits(in: free) else { return false }
    guard isKept, let waiting, waiting.rank < first.rank else { return true }
    let rest = free.without(waiting.request)
    return request.cpus <= rest.cpus && (request.memoryBytes == 0 || request.memoryBytes <= rest.memoryBytes)
      && (request.gpus == 0 || request.gpus <= rest.gpus)
  }
}
