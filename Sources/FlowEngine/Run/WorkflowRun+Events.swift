import Dispatch
import FlowModel

extension WorkflowRun {
  /// How long the observer waits for what it has not heard: events come in batches, and steps that follow each other
  /// closely are not held up by telling of them. Each delivery wakes two threads, so while events keep coming the wait is
  /// doubled each time, up to the time between two frames of a film.
  private static let deliveryDelayMilliseconds = (first: 3, longest: 24)
  /// How many events the observer is given at once.
  private static let batchEvents = 4096

  /// Queues an event for the observer.
  func emit(_ kind: RunEvent.Kind) {
    guard options.observer != nil else { return }
    let mustDeliver = state.withLock { state in
      state.collectRecords()
      state.untold.append(.event(RunEvent(atNanoseconds: clock.now, kind)))
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if mustDeliver { deliver() }
  }

  /// Hands over what the observer has not heard, a little later, until there is nothing to hand over.
  func deliver(afterMilliseconds delay: Int = deliveryDelayMilliseconds.first) {
    deliveryQueue.asyncAfter(deadline: .now() + .milliseconds(delay)) { @Sendable [self] in
      if drain() { deliver(afterMilliseconds: min(2 * delay, Self.deliveryDelayMilliseconds.longest)) }
    }
  }

  /// Hands over what the observer has not heard; false when there was nothing. On the delivery queue alone.
  func drain() -> Bool {
    var (untold, queueNames) = state.withLock { state -> ([UntoldEvents], [String]) in
      state.collectRecords()
      if state.untold.isEmpty {
        state.isDelivering = false
        state.plan.endSeries()
      }
      defer { state.untold = [] }
      return (state.untold, state.untold.isEmpty ? [] : state.plan.queueNames)
    }
    guard !untold.isEmpty, let observer = options.observer else { return false }
    let reader = RecordReader(graph: prepared.graph, queueNames: queueNames)
    var events: [RunEvent] = []
    func add(_ event: RunEvent) {
      events.append(event)
      guard events.count == Self.batchEvents else { return }
      observer.receive(events)
      events.removeAll(keepingCapacity: true)
    }
    for entry in untold {
      switch entry {
      case .event(let event): add(event)
      case .records(let records): for record in records { add(reader.event(for: record)) }
      }
    }
    if !events.isEmpty { observer.receive(events) }
    if untold.count == 1, case .records(var list) = untold.removeLast() {
      list.removeAll(keepingCapacity: true)
      state.withLock { [list] in $0.spareRecords = list }
    }
    return true
  }
}
