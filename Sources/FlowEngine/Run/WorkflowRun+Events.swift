import FlowModel
import FlowSecrets

extension WorkflowRun {
  /// How long the observer waits for what it has not heard: events come in batches, and steps that follow each other
  /// closely are not held up by telling of them. Each delivery wakes two threads, so while events keep coming the wait is
  /// doubled each time, up to the time between two frames of a film.
  private static let deliveryDelayMilliseconds = (first: 3, longest: 24)

  /// Queues an event for the observer; `nanoseconds` is when it happened, if it was not now.
  func emit(_ kind: RunEvent.Kind, lineBytes: Int = 0, atNanoseconds nanoseconds: Int? = nil) {
    emit(CollectionOfOne(kind), lineBytes: lineBytes, atNanoseconds: nanoseconds)
  }

  /// Queues events for the observer; this many of their bytes are lines that programs wrote.
  func emit(_ kinds: some Collection<RunEvent.Kind>, lineBytes: Int = 0, atNanoseconds nanoseconds: Int? = nil) {
    guard options.observer != nil else { return }
    if let mask {
      return queue(kinds.map { $0.masked(by: mask) }, lineBytes: lineBytes, atNanoseconds: nanoseconds)
    }
    queue(kinds, lineBytes: lineBytes, atNanoseconds: nanoseconds)
  }

  private func queue(_ kinds: some Collection<RunEvent.Kind>, lineBytes: Int, atNanoseconds nanoseconds: Int?) {
    let mustDeliver = state.withLock { state in
      state.collectRecords()
      let now = nanoseconds ?? state.instant(clock.now)
      for kind in kinds { state.undelivered.append(.event(RunEvent(atNanoseconds: now, kind))) }
      state.undeliveredLineBytes += lineBytes
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if mustDeliver { deliver() }
  }

  /// Delivers events to the observer a little later, until none are left.
  func deliver(afterMilliseconds delay: Int = deliveryDelayMilliseconds.first) {
    delivery.schedule(afterNanoseconds: delay * 1_000_000) { [self] in
      if drain() { deliver(afterMilliseconds: min(2 * delay, Self.deliveryDelayMilliseconds.longest)) }
    }
  }

  /// Delivers events to the observer; false when there were none. On the delivery thread alone.
  func drain() -> Bool {
    let undelivered = state.withLock { state -> ([UndeliveredEvents], RecordReader?)? in
      // The gate has opened, and its thread is about to tell the plan: the observer hears of it in its place.
      if gateClock.opened != nil, state.plan.gateInstants.outcome == nil, !state.hasAwaitedGate {
        state.hasAwaitedGate = true
        return nil
      }
      state.collectRecords()
      if state.undelivered.isEmpty {
        state.isDelivering = false
        state.plan.interruptFastPaths()
        return ([], nil)
      }
      defer { (state.undelivered, state.recordReader, state.undeliveredLineBytes) = ([], nil, 0) }
      return (
        state.undelivered,
        state.recordReader
          ?? RecordReader(
            graph: prepared.graph, queueNames: state.plan.queueNames, instances: instances)
      )
    }
    guard let (undelivered, known) = undelivered else { return true }
    var reader = known
    guard !undelivered.isEmpty, let observer = options.observer else { return false }
    var batch = EventBatch(observer)
    batch.notesEnds =
      undelivered.contains { if case .event = $0 { true } else { false } }
      || state.withLock { !$0.recordedLog.openSteps.isEmpty }
    var read: [RecordChunk] = []
    for entry in undelivered {
      switch entry {
      case .event(let event):
        recordLine(event)
        batch.add(event)
      case .records(let chunks, let besides):
        reader?.read(chunks, besides: besides, into: &batch)
        read += chunks
      }
    }
    let ended = batch.endedSteps
    batch.tell()
    recordLastLines(of: ended)
    state.withLock { [reader, read] state in
      state.recordReader = reader
      // A plan that has ended notes nothing more, and the report shares its memory.
      if state.plan.endedAt == nil { state.plan.reuse(read) }
    }
    return true
  }
}
