#if Observability
  import FlowEngine
  import FlowModel
  import Tracing

  /// A span for the run, with a child span for each step that ran and an event for each retry. The gate and posted
  /// events are events of the run's span.
  struct RunSpans: RunSignal {
    private let tracer: any Tracer
    private let parent: ServiceContext
    private var startNanoseconds: UInt64 = 0
    private var run: (any Span)?
    private var steps: [StepID: any Span] = [:]

    init(_ tracer: any Tracer, _ parent: ServiceContext) {
      self.tracer = tracer
      self.parent = parent
    }

    mutating func receive(_ event: RunEvent) {
      let instant = Instant(nanosecondsSinceEpoch: startNanoseconds + UInt64(max(0, event.atNanoseconds)))
      switch event.kind {
      case .runStarted(let workflow, let runID, _):
        // The run began some milliseconds before this first event was delivered.
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        startNanoseconds = now - UInt64(max(0, event.atNanoseconds))
        let span = tracer.startSpan(workflow, context: parent, at: Instant(nanosecondsSinceEpoch: now))
        span.attributes["flowrun.run"] = runID
        run = span
      case .stepStarted(let step, _, let queue):
        guard let run, steps[step] == nil else { return }
        let span = tracer.startSpan(step.text, context: run.context, at: instant)
        span.attributes["flowrun.queue"] = queue
        steps[step] = span
      case .stepRetrying(let step, let attempt, _, let failure):
        var attributes: SpanAttributes = ["flowrun.attempt": .int64(Int64(attempt))]
        if let failure { attributes["flowrun.error"] = failure.code }
        steps[step]?.addEvent(SpanEvent(name: "retry", at: instant, attributes: attributes))
      case .stepFinished(let step, let finished):
        guard let span = steps.removeValue(forKey: step) else { return }
        span.attributes["flowrun.outcome"] = finished.outcome.word
        span.attributes["flowrun.attempts"] = finished.attempts
        if let failure = finished.failure {
          span.setStatus(SpanStatus(code: .error, message: "\(failure.code): \(failure.message)"))
        }
        span.end(at: instant)
      case .gateOpened(let outcome):
        run?.addEvent(SpanEvent(name: "gate", at: instant, attributes: ["flowrun.outcome": .string(outcome.word)]))
      case .eventPosted(let name, _): run?.addEvent(SpanEvent(name: name, at: instant))
      case .runFinished(let conclusion):
        for step in steps.values { step.end(at: instant) }
        steps.removeAll()
        run?.attributes["flowrun.conclusion"] = conclusion.rawValue
        if conclusion == .failure { run?.setStatus(SpanStatus(code: .error)) }
        run?.end(at: instant)
        run = nil
      default: break
      }
    }

    private struct Instant: TracerInstant {
      let nanosecondsSinceEpoch: UInt64
      static func < (left: Self, right: Self) -> Bool { left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch }
    }
  }
#endif
