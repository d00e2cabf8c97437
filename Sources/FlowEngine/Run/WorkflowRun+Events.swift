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
    var (untold, reader) = state.withLock { state -> ([UntoldEvents], RecordReader?) in
      state.collectRecords()
      if state.untold.isEmpty {
        state.isDelivering = false
        state.plan.endSeries()
        return ([], nil)
      }
      defer { (state.untold, state.recordReader) = ([], nil) }
      return (
        state.untold, state.recordReader ?? RecordReader(graph: prepared.graph, queueNames: state.plan.queueNames)
      )
    }
    guard !untold.isEmpty, let observer = options.observer else { return false }
    var events: [RunEvent] = []
    func add(_ event: RunEvent) {
      events.append(event)
      guard events.count == Self.batchEvents else { return }
      observer.receive(events)
      events.removeAll(keepingCapacity: true)
    }
    var read: [RecordChunk] = []
    for entry in untold {
      switch entry {
      case .event(let event): add(event)
      case .records(let chunks, let besides):
        reader?.read(chunks, besides: besides, add)
        read += chunks
      }
    }
    if !events.isEmpty { observer.receive(events) }
    state.withLock { [reader, read] state in
      state.recordReader = reader
      state.plan.reuse(read)
    }
    return true
  }
}
