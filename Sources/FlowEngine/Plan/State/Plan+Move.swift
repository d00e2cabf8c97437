import FlowModel

extension Plan {
  /// Changes the status of a step or item and updates the counts.
  @inline(__always)
  mutating func move(_ task: PlanTask, to status: StepStatus) {
    if task.isItem { moveItem(task, to: status) } else { move(task.step, to: status) }
  }

  /// Changes the status of a step, and updates the counts and its queue's ready set. Fast paths
  /// (``advance(_:from:at:)``) and prefetched steps bypass this method and update the counts themselves.
  @inline(__always)
  mutating func move(_ step: StepIndex, to status: StepStatus) {
    leave(step)
    states[step].status = status
    count(status, step, by: 1)
    guard status == .queued else { return }
    queues[traits[step].queue].ready.insert(Int(traits[step].position))
    if machine != nil { growRequest(of: step, toAttempt: Int(states[step].attempt) + 1) }
  }

  /// Removes a step from its queue's ready set and from the counts of its status. The caller then changes the status.
  @inline(__always)
  mutating func leave(_ step: StepIndex) {
    if states[step].status == .queued { queues[traits[step].queue].ready.remove(Int(traits[step].position)) }
    count(states[step].status, step, by: -1)
  }

  /// Changes the status of an item. The caller then updates the step with ``refresh(_:at:)``.
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

  /// Counts the body of a task that is about to start among the bodies that occupy its queue.
  @inline(__always)
  mutating func occupy(_ task: PlanTask) {
    if task.isItem { fanOuts[task.fanOut].occupied += 1 }
    queues[traits[task.step].queue].occupied += 1
    counts.occupied += 1
  }

  /// Removes a body from the count of its queue, because it has returned or the plan no longer waits for it.
  ///
  /// - Parameter keepsQueue: True if the body still blocks its queue, because it occupies the main thread.
  @inline(__always)
  mutating func vacate(_ task: PlanTask, keepsQueue: Bool = false) {
    if task.isItem { fanOuts[task.fanOut].occupied -= 1 }
    if !keepsQueue { queues[traits[task.step].queue].occupied -= 1 }
    counts.occupied -= 1
  }
}
