import FlowModel

/// The capacity of the machine, and the waiting step that others have passed.
struct MachineCount: Sendable {
  let capacity: MachineResources
  /// The step that waits for resources while others start ahead of it, and the number of these others. Nil if no step
  /// has been passed.
  var passed: Passed?

  struct Passed: Sendable {
    var step: StepIndex
    var count: Int
  }
}

// Steps that request `resources`. Those with equal requests share a queue, which has the name and width of the steps'
// original queue. A queue may start a step if the request fits in the free resources. These are computed from the
// running steps on demand, so they cannot become inconsistent, and workflows without `resources` pay nothing. A step
// whose request grows with the attempt has a separate queue, whose request is that of its next attempt.
//
// Steps start by rank, and a step that fits may start ahead of one that does not. At most four steps may pass the first
// waiting step by rank. After that, a step starts only if the resources of the waiting step would stay free. So every
// step starts once earlier ones have finished, and this rule seldom leaves the machine idle.
extension Plan {
  /// The number of steps that may start ahead of a step that waits for resources.
  static let passesOfWaiting = 4

  /// Moves steps with equal requests into separate queues.
  mutating func arrangeRequests(_ queues: inout [PlanQueue], capacity: MachineResources) {
    var indices: [RequestQueue: Int] = [:]
    func index(of key: RequestQueue) -> Int {
      if let index = indices[key] { return index }
      let base = queues[key.base]
      var queue = PlanQueue(name: base.name, pool: base.pool, width: base.width)
      queue.request = key.request
      queue.base = key.base
      queues.append(queue)
      indices[key] = queues.count - 1
      return queues.count - 1
    }
    let usual = [false, true].map { Pool.threads(.usual(forDeferred: $0)).index }
    for step in graph.steps(stating: .request) {
      let base = Int(traits[step].queue)
      guard let request = options(of: step).request, countsRequests(of: step, in: queues[base]) else { continue }
      let owner = options(of: step).laterRequests.isEmpty ? nil : step
      func key(_ base: Int) -> RequestQueue { RequestQueue(base: base, request: request, owner: owner) }
      // Add both default queues, so that the list of queues does not depend on which steps are deferred. `rearrange`
      // relies on that.
      if usual.contains(base) { for queue in usual { _ = index(of: key(queue)) } }
      traits[step].queue = UInt16(index(of: key(base)))
    }
    guard !indices.isEmpty else { return }
    hasOnlyBuiltInQueues = false
    if machine == nil { machine = MachineCount(capacity: capacity) }
  }

  /// The properties that all steps of a queue share.
  private struct RequestQueue: Hashable {
    var base: Int
    var request: MachineResources
    /// The only step of the queue if its request grows with the attempt, otherwise nil.
    var owner: StepIndex?
  }

  /// Sets the request of a step's queue to that of the attempt that is about to start. The items of a fan-out share a
  /// queue, whose request is the largest of any item so far. A request never exceeds the capacity.
  mutating func growRequest(of step: StepIndex, toAttempt attempt: Int) {
    guard let current = queues[traits[step].queue].request, !options(of: step).laterRequests.isEmpty,
      var request = options(of: step).request(ofAttempt: attempt)
    else { return }
    // After lost attempts, the number may exceed that of `retry`, and the request may exceed the capacity, so that the
    // step would wait forever.
    if attempt > options(of: step).retry?.attempts ?? 1, !request.fits(in: capacity) { return }
    if traits[step].flags.contains(.fanOut) { request = request.most(with: current) }
    queues[traits[step].queue].request = request
  }

  /// True if the requests of a step count. The main thread runs one step at a time, services would keep their resources
  /// for the whole run, and an executor on another machine counts resources itself.
  private func countsRequests(of step: StepIndex, in queue: PlanQueue) -> Bool {
    if queue.pool == .main || facts[step]?.isService == true { return false }
    guard queue.pool == .remote, let executor = remote?.assignment[step] else { return true }
    return remote?.executors[executor].countsHere ?? true
  }

  package var countsMachine: Bool { machine != nil }

  /// The resources that are free now and the first step that waits for some, or nil if no step requests resources.
  var machineReading: MachineReading? { machine.map { MachineReading($0, tables) } }

  /// Records that a step is about to start, and counts it if it passes a waiting one.
  mutating func noteStartOnMachine(_ step: StepIndex) {
    guard queues[traits[step].queue].request != nil, let reading = machineReading else { return }
    if machine?.passed?.step == step { machine?.passed = nil }
    guard let waiting = reading.waiting, waiting.rank < traits[step].rank else { return }
    let count = machine?.passed?.step == waiting.step ? machine?.passed?.count ?? 0 : 0
    machine?.passed = MachineCount.Passed(step: waiting.step, count: count + 1)
  }
}

/// The free resources of the machine at one time, and the first step that waits for them.
struct MachineReading {
  private let tables: StepTables
  private(set) var free: MachineResources
  /// The waiting step with the lowest rank that does not fit in the free resources, or nil if all fit.
  private(set) var waiting: (step: StepIndex, rank: Int32, request: MachineResources)?
  /// True if the limit of passes is reached, so the resources of the waiting step must stay free.
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

  /// The number of additional steps that the queue's width allows. The queue may share its width with others.
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

  func startable(_ index: Int, ready: Int) -> Int {
    guard canStart(index) else { return 0 }
    return min(ready, room(index), tables.queues[index].request?.count(in: free) ?? .max)
  }

  /// True if the first ready step of the queue may start.
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
