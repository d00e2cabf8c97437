#if Observability
  import FlowEngine
  import FlowModel
  import Tracing

  /// Creates spans for the run, its steps and items, and their attempts, the same as `--otlp` sends. The gate and
  /// posted events become events of the run's span.
  struct RunSpans: RunSignal {
    private let tracer: any Tracer
    private let parent: ServiceContext
    private var startNanoseconds: UInt64 = 0
    private var run: OpenSpan?
    /// The spans of steps and items that are running, by the path of the step or item.
    private var tasks: [String: OpenTask] = [:]
    /// The paths of steps with items. The attempts belong to the items, not to the step.
    private var fanOuts: Set<String> = []

    init(_ tracer: any Tracer, _ parent: ServiceContext) {
      self.tracer = tracer
      self.parent = parent
    }

    mutating func receive(_ event: RunEvent) {
      let instant = Instant(nanosecondsSinceEpoch: startNanoseconds + UInt64(max(0, event.atNanoseconds)))
      switch event.kind {
      case .runStarted(let workflow, let runID, _):
        // The run started some milliseconds before this first event was delivered.
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        startNanoseconds = now - UInt64(max(0, event.atNanoseconds))
        run = start(.run(workflow, id: runID), in: parent, at: Instant(nanosecondsSinceEpoch: now))
      case .stepItems(let step, _): fanOuts.insert(step.text)
      case .stepStarted(let step, let attempt, let queue):
        guard let run else { return }
        let path = step.text
        if tasks[path] == nil {
          let outer = SpanFacts.parent(of: path)
          let context = outer.flatMap { tasks[$0] }?.task.span.context ?? run.span.context
          let facts = SpanFacts.task(path, queue: outer == nil ? queue : nil)
          tasks[path] = OpenTask(task: start(facts, in: context, at: instant))
        }
        tasks[path]?.attempt = OpenAttempt(number: attempt, start: instant)
      case .stepRetrying(let step, _, _, let failure):
        endAttempt(of: step.text, at: instant) { $0.endWithFailure(failure) }
      case .stepFinished(let step, let finished):
        guard var open = tasks[step.text]?.task else { return }
        open.facts.end(finished.outcome, conclusion: finished.conclusion, finished.failure)
        endAttempt(of: step.text, at: instant) { $0.error = open.facts.error }
        open.end(at: instant)
        tasks[step.text] = nil
      case .gateOpened(let outcome):
        let facts = SpanFacts.gate(outcome)
        run?.span.addEvent(SpanEvent(name: facts.name, at: instant, attributes: OpenSpan.attributes(facts)))
      case .eventPosted(let name, _): run?.span.addEvent(SpanEvent(name: name, at: instant))
      case .runFinished(let conclusion):
        for task in tasks.values { task.task.end(at: instant) }
        tasks.removeAll()
        run?.facts.end(conclusion)
        run?.end(at: instant)
        run = nil
      default: break
      }
    }

    private func start(_ facts: SpanFacts, in context: ServiceContext, at instant: Instant) -> OpenSpan {
      OpenSpan(span: tracer.startSpan(facts.name, context: context, at: instant), facts: facts)
    }

    /// Creates the span of an attempt after its end. Until then, it is unknown whether the step has items, in which
    /// case its attempts get no spans.
    private mutating func endAttempt(of path: String, at instant: Instant, _ end: (inout SpanFacts) -> Void) {
      guard let task = tasks[path], let attempt = task.attempt, !fanOuts.contains(path) else { return }
      tasks[path]?.attempt = nil
      var facts = SpanFacts.attempt(attempt.number, of: path)
      end(&facts)
      start(facts, in: task.task.span.context, at: attempt.start).end(at: instant)
    }

    private struct OpenTask {
      var task: OpenSpan
      var attempt: OpenAttempt?
    }

    private struct OpenAttempt {
      let number: Int
      let start: Instant
    }

    private struct OpenSpan {
      let span: any Span
      var facts: SpanFacts

      func end(at instant: Instant) {
        span.attributes = Self.attributes(facts)
        if let error = facts.error { span.setStatus(SpanStatus(code: .error, message: error)) }
        span.end(at: instant)
      }

      static func attributes(_ facts: SpanFacts) -> SpanAttributes {
        var attributes: SpanAttributes = [:]
        for (name, value) in facts.attributes {
          switch value {
          case .string(let text): attributes[name] = text
          case .integer(let number): attributes[name] = number
          default: continue
          }
        }
        return attributes
      }
    }

    private struct Instant: TracerInstant {
      let nanosecondsSinceEpoch: UInt64
      static func < (left: Self, right: Self) -> Bool { left.nanosecondsSinceEpoch < right.nanosecondsSinceEpoch }
    }
  }
#endif
