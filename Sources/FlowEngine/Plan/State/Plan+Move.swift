import FlowModel

extension Plan {
  /// Takes a task from the status it has to another, and keeps the counts true.
  @inline(__always)
  mutating func move(_ task: PlanTask, to status: StepStatus) {
    if task.isItem { moveItem(task, to: status) } else { move(task.step, to: status) }
  }

  /// Takes a step from the status it has to another, and keeps the counts and its queue's ready set true. Only fast
  /// paths (``advance(_:from:at:)``) and steps prefetched change the status of a step in another way, and say what they
  /// count.
  @inline(__always)
  mutating func move(_ step: StepIndex, to status: StepStatus) {
    if states[step].status == .queued { queues[traits[step].queue].ready.remove(Int(traits[step].position)) }
    count(states[step].status, step, by: -1)
    states[step].status = status
    count(status, step, by: 1)
    guard status == .queued else { return }
    queues[traits[step].queue].ready.insert(Int(traits[step].position))
    if machine != nil { growRequest(of: step, toAttempt: Int(states[step].attempt) + 1) }
  }

  /// What the status of the step becomes ``refresh(_:at:)`` works out.
  private mutating func moveItem(_ task: PlanTask, to status: StepStatus) {
    fanOuts[task.fanOut].move(task.item, to: status)
    guard status == .queued, machine != nil else { return }
    growRequest(of: task.step, toAttempt: Int(self[state: task].attempt) + 1)
  }

  @inline(__always)
  private mutating func count(_ status: StepStatus, _ step: StepIndex, by change: Int) {
    switch status {
    case .waiting, .held: return
    case .deciding: counts.deciding += change
    case .retrying: counts.retrying += change
    case .done: counts.unsettled -= change
    case .queued:
      counts.queued += change
      countBusy(step, by: change)
    case .running:
      counts.running += change
      countBusy(step, by: change)
    case .holding:
      counts.holding += change
      countBusy(step, by: change)
    }
  }

  @inline(__always)
  private mutating func countBusy(_ step: StepIndex, by change: Int) {
    if !traits[step].flags.contains(.idle) { counts.busy += change }
  }

  /// Takes capacity of a queue for a body.
  @inline(__always)
  mutating func occupy(_ task: PlanTask) {
    if task.isItem { fanOuts[task.fanOut].occupied += 1 }
    queues[traits[task.step].queue].occupied += 1
    counts.occupied += 1
  }

  /// Returns the capacity of a body that returned, or that is no longer waited for.
  ///
  /// - Parameter keepsQueue: whether the body keeps the queue to itself: the main thread cannot be replaced.
  @inline(__always)
  mutating func vacate(_ task: PlanTask, keepsQueue: Bool = false) {
    if task.isItem { fanOuts[task.fanOut].occupied -= 1 }
    if !keepsQueue { queues[traits[task.step].queue].occupied -= 1 }
    counts.occupied -= 1
  }
}
