import FlowModel

/// What is counted of the machine on which steps run.
struct MachineCount: Sendable {
  /// What the machine has.
  let capacity: MachineResources
  /// The step that others were last started in front of while it waited for the machine, and how many.
  var passed: Passed?

  struct Passed: Sendable {
    var step: StepIndex
    var count: Int
  }
}

// Steps with `resources`: those that ask for the same are in a queue of their own behind their queue, whose width and name
// it has. A queue may start a step where what its steps take is free; all of that is worked out from who runs, whenever
// someone asks, so that there is nothing to keep true, and a workflow without `resources` is not touched. A step whose
// request grows with the attempt has a queue for itself, which asks for what its next attempt does.
//
// The rule. Steps start by rank. One that does not fit is passed: those behind it start that fit. The first by rank of
// those that wait so is passed four times; from then on steps behind it start only where as much stays free as it asks for.
// So every step starts once those before it are done, and the machine is seldom idle for it.
extension Plan {
  /// The number of steps that start in front of one that waits for the machine and comes before them.
  static let passesOfWaiting = 4

  /// Gives the steps that ask for the same a queue of their own.
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
      // Both usual queues, so that the list is the same whatever expressions deferred: rearranging relies on that.
      if usual.contains(base) { for queue in usual { _ = index(of: key(queue)) } }
      traits[step].queue = UInt16(index(of: key(base)))
    }
    guard !indices.isEmpty else { return }
    hasOnlyBuiltInQueues = false
    if machine == nil { machine = MachineCount(capacity: capacity) }
  }

  /// Which steps have a queue of their own.
  private struct RequestQueue: Hashable {
    var base: Int
    var request: MachineResources
    /// The only step; nil: each that asks for the same.
    var owner: StepIndex?
  }

  /// Has a step's queue ask for what an attempt takes that is about to start. Items of a fan-out share the queue: it asks
  /// for the most that any of them has taken so far, so that they never take more together than there is.
  mutating func growRequest(of step: StepIndex, toAttempt attempt: Int) {
    guard let current = queues[traits[step].queue].request, !options(of: step).laterRequests.isEmpty,
      var request = options(of: step).request(ofAttempt: attempt)
    else { return }
    // An attempt after a lost one may ask for more than there is, for which it would wait for ever.
    if attempt > options(of: step).retry?.attempts ?? 1, !request.fits(in: capacity) { return }
    if traits[step].flags.contains(.fanOut) { request = request.most(with: current) }
    queues[traits[step].queue].request = request
  }

  /// The main thread is one, services never return what they take, and an engine elsewhere counts by itself.
  private func countsRequests(of step: StepIndex, in queue: PlanQueue) -> Bool {
    if queue.pool == .main || facts[step]?.isService == true { return false }
    guard queue.pool == .remote, let executor = remote?.assignment[step] else { return true }
    return remote?.executors[executor].countsHere ?? true
  }

  /// Whether steps take resources of the machine.
  package var countsMachine: Bool { machine != nil }

  /// The state of the machine; nil: no step asks for resources of it.
  var machineReading: MachineReading? { machine.map { MachineReading($0, tables) } }

  /// Takes in that a step is about to start.
  mutating func noteStartOnMachine(_ step: StepIndex) {
    guard queues[traits[step].queue].request != nil, let reading = machineReading else { return }
    if machine?.passed?.step == step { machine?.passed = nil }
    guard let waiting = reading.waiting, waiting.rank < traits[step].rank else { return }
    let count = machine?.passed?.step == waiting.step ? machine?.passed?.count ?? 0 : 0
    machine?.passed = MachineCount.Passed(step: waiting.step, count: count + 1)
  }
}

/// The state of the machine at an instant: what is free, and who waits for it.
struct MachineReading {
  private let tables: StepTables
  private(set) var free: MachineResources
  /// The first by rank of the steps that would start if more were free.
  private(set) var waiting: (step: StepIndex, rank: Int32, request: MachineResources)?
  /// Whether what that step asks for is kept for it.
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

  /// How many steps more a queue could run as far as its width goes.
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

  /// How many steps of a queue could start now.
  func startable(_ index: Int, ready: Int) -> Int {
    guard canStart(index) else { return 0 }
    return min(ready, room(index), tables.queues[index].request?.count(in: free) ?? .max)
  }

  /// Whether a step of a queue may start.
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
