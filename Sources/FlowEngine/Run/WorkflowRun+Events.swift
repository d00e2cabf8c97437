import Dispatch
import FlowModel

extension WorkflowRun {
  /// How long the observer waits for what it has not heard: events come in batches, and steps that follow each other
  /// closely are not held up by telling of them. Each delivery wakes two threads, so while events keep coming the wait is
  /// doubled each time, up to the time between two frames of a film.
  private static let deliveryDelayMilliseconds = (first: 3, longest: 24)

  /// Queues an event for the observer.
  func emit(_ kind: RunEvent.Kind) { emit(CollectionOfOne(kind)) }

  /// Queues events for the observer, of which so many bytes are lines that programs wrote.
  func emit(_ kinds: some Collection<RunEvent.Kind>, lineBytes: Int = 0) {
    guard options.observer != nil else { return }
    let mustDeliver = state.withLock { state in
      state.collectRecords()
      let now = clock.now
      for kind in kinds { state.untold.append(.event(RunEvent(atNanoseconds: now, kind))) }
      state.untoldLineBytes += lineBytes
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
      defer { (state.untold, state.recordReader, state.untoldLineBytes) = ([], nil, 0) }
      return (
        state.untold, state.recordReader ?? RecordReader(graph: prepared.graph, queueNames: state.plan.queueNames)
      )
    }
    guard !untold.isEmpty, let observer = options.observer else { return false }
    var batch = EventBatch(observer)
    var read: [RecordChunk] = []
    for entry in untold {
      switch entry {
      case .event(let event): batch.add(event)
      case .records(let chunks, let besides):
        reader?.read(chunks, besides: besides, into: &batch)
        read += chunks
      }
    }
    batch.tell()
    state.withLock { [reader, read] state in
      state.recordReader = reader
      // A plan that has ended notes nothing more, and the report shares its memory.
      if state.plan.endedAt == nil { state.plan.reuse(read) }
    }
    return true
  }
}

/// Events on the way to the observer.
struct EventBatch {
  /// How many the observer is given at once.
  private static let most = 4096

  private let observer: any RunObserver
  private var events: [RunEvent] = []

  init(_ observer: any RunObserver) { self.observer = observer }

  /// Adds an event, and tells the observer when there are enough.
  mutating func add(_ event: RunEvent) {
    events.append(event)
    if events.count == Self.most { tell() }
  }

  /// Tells the observer what it has not heard.
  mutating func tell() {
    if !events.isEmpty { observer.receive(events) }
    events.removeAll(keepingCapacity: true)
  }
}
