import FlowModel

extension Plan {
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

  /// Takes capacity of a step's queue for a body.
  @inline(__always)
  mutating func occupy(_ step: StepIndex) {
    queues[traits[step].queue].occupied += 1
    counts.occupied += 1
  }

  /// Returns the capacity of a body that returned, or that is no longer waited for.
  @inline(__always)
  mutating func vacate(_ step: StepIndex) {
    queues[traits[step].queue].occupied -= 1
    counts.occupied -= 1
  }
}
