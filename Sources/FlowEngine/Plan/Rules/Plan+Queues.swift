import FlowModel

extension Plan {
  /// Queues a step or item for its next attempt.
  mutating func enqueue(_ task: PlanTask, at now: Int) {
    guard task.isItem else { return enqueue(task.step, at: now) }
    move(task, to: .queued)
    fanOuts[task.fanOut].again.insert(task.item)
  }

  mutating func enqueue(_ step: StepIndex, at now: Int) {
    move(step, to: .queued)
    if states[step].readyAt == never {
      states[step].readyAt = now
      noteReady(step, at: now)
    }
  }

  /// Queues a step, or determines its items first if it is a fan-out.
  mutating func queueUp(_ step: StepIndex, at now: Int) {
    if traits[step].flags.contains(.fanOut), !fanOuts.isExpanded(step) { return expand(step) }
    enqueue(step, at: now)
  }

  /// True if a step could start now in this pool, or in any pool if `pool` is nil.
  package func canStart(in pool: Pool? = nil) -> Bool { nextQueue(in: pool) != nil }

  /// Starts the ready step with the lowest rank in this pool, or in any pool if `pool` is nil. Returns nil if no step
  /// may start.
  package mutating func startNext(in pool: Pool? = nil, at now: Int) -> (step: StepIndex, attempt: Int)? {
    guard counts.queued > 0, let index = nextQueue(in: pool) else { return nil }
    return startNext(from: index, at: now)
  }

  /// Starts the first ready step of a queue. Returns nil if that step is a fan-out whose next item may not start.
  @inline(__always)
  mutating func startNext(from index: Int, at now: Int) -> (step: StepIndex, attempt: Int)? {
    mutate(endsFastPaths: false) { $0.start(from: index, at: now) }
  }

  @inline(__always)
  private mutating func start(from index: Int, at now: Int) -> (step: StepIndex, attempt: Int)? {
    let step = queues[index].members[queues[index].ready.lowest!]
    if machine != nil { noteStartOnMachine(step) }
    if traits[step].flags.contains(.fanOut) { return startItem(of: step, at: now) }
    return start(PlanTask(step), at: now)
  }

  @inline(__always)
  private func nextQueue(in pool: Pool?) -> Int? {
    guard counts.queued > 0, counts.occupied < concurrency else { return nil }
    // Without declared queues, each pool has one queue, whose index is that of the pool.
    if let pool, hasOnlyBuiltInQueues { return queues[pool.index].canStart ? pool.index : nil }
    // If no step requests resources, an optional reading would only create its type on a thread of the run.
    guard countsMachine else { return Self.bestQueue(of: tables, in: pool, nil) }
    return Self.bestQueue(of: tables, in: pool, machineReading)
  }

  /// Returns the queue whose next step has the lowest rank, or nil if no queue may start a step. The method is static,
  /// because an instance method would copy the plan.
  static func bestQueue(of tables: StepTables, in pool: Pool?, _ machine: MachineReading?) -> Int? {
    let (queues, traits) = (tables.queues, tables.traits)
    var best: (queue: Int, rank: Int32)?
    for index in queues.indices where queues[index].canStart && (pool == nil || queues[index].pool == pool) {
      if let machine, !machine.canStart(index) { continue }
      let rank = traits[queues[index].members[queues[index].ready.lowest!]].rank
      if best == nil || rank < best!.rank { best = (index, rank) }
    }
    return best?.queue
  }
}
