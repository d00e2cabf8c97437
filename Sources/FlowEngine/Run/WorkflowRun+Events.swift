import FlowModel
import FlowSecrets

extension WorkflowRun {
  /// The delay before a delivery. Events are collected in the meantime, so that delivering them does not slow down
  /// short steps. Each delivery wakes two threads, so the delay doubles up to `longest` while there are events.
  /// `longest` is shorter than two frames of a display.
  private static let deliveryDelayMilliseconds = (first: 3, longest: 24)

  /// Queues an event for the observer. Its time is `nanoseconds` from the start of the run, or the current time if that
  /// is nil.
  func emit(_ kind: RunEvent.Kind, lineBytes: Int = 0, atNanoseconds nanoseconds: Int? = nil) {
    emit(CollectionOfOne(kind), lineBytes: lineBytes, atNanoseconds: nanoseconds)
  }

  /// Queues events for the observer. `lineBytes` is the size of the output lines in them.
  func emit(_ kinds: some Collection<RunEvent.Kind>, lineBytes: Int = 0, atNanoseconds nanoseconds: Int? = nil) {
    guard options.isObserved else { return }
    if let mask {
      return queue(kinds.map { $0.masked(by: mask) }, lineBytes: lineBytes, atNanoseconds: nanoseconds)
    }
    queue(kinds, lineBytes: lineBytes, atNanoseconds: nanoseconds)
  }

  /// Queues output lines for the observer. They get the current time.
  func queue(_ lines: StepLines) {
    let mustDeliver = state.withLock { state in
      state.collectRecords()
      var lines = lines
      lines.atNanoseconds = state.instant(clock.now)
      state.undelivered.append(.lines(lines))
      state.undeliveredLineBytes += lines.lines.byteCount + MemoryLayout<StepLines>.stride
      defer { state.isDelivering = true }
      return !state.isDelivering
    }
    if mustDeliver { deliver() }
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

  /// Delivers events to the observer after a delay, and repeats this while there are events.
  func deliver(afterMilliseconds delay: Int = deliveryDelayMilliseconds.first) {
    delivery.schedule(afterNanoseconds: delay * 1_000_000) { [self] in
      if drain() { deliver(afterMilliseconds: min(2 * delay, Self.deliveryDelayMilliseconds.longest)) }
    }
  }

  /// Delivers all undelivered events. Returns false if there were none. It must be called on the delivery thread.
  func drain() -> Bool {
    let undelivered = state.withLock { state -> ([UndeliveredEvents], RecordReader?)? in
      // If the gate has opened, its thread is about to notify the plan. Waiting once puts the events in the right
      // order.
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
    var batch = EventBatch(observer, options.lineObserver)
    batch.notesEnds =
      undelivered.contains { if case .records = $0 { false } else { true } }
      || state.withLock { !$0.recordedLog.openSteps.isEmpty }
    var read: [RecordChunk] = []
    for entry in undelivered {
      switch entry {
      case .event(let event):
        if recordLine(event) { batch.add(event) }
      case .lines(let lines):
        if record(lines) { batch.add(lines) }
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
      // The chunks of a plan that has ended are not reused, because it records nothing more and shares its memory with
      // the report.
      if state.plan.endedAt == nil { state.plan.reuse(read) }
    }
    return true
  }
}
