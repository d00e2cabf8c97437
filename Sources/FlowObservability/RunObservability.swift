#if Observability
  import CoreMetrics
  import FlowEngine
  import FlowModel
  import Logging
  import Synchronization
  import Tracing

  /// Turns the events of a run into log messages, metrics and spans, and into signposts on Apple's platforms.
  ///
  /// ```swift
  /// options.observer = RunObservability()
  /// let run = try engine.start(Workflows.launch, .init(), options: options)
  /// ```
  /// Without arguments they go to what the app has bootstrapped with swift-log, swift-metrics and swift-distributed-tracing.
  /// Each run needs an observer of its own. Times come from the run, so that they are exact although events arrive some
  /// milliseconds late; those of signposts are not.
  public final class RunObservability: RunObserver {
    private let other: (any RunObserver)?
    private let parts: Mutex<[any RunSignal]>

    /// An observer of one run. Nil leaves a part out.
    ///
    /// - Parameters:
    ///   - logger: receives the lines of steps, and what happens to the run and its steps.
    ///   - metrics: makes the timers and counters of ``RunMetrics``.
    ///   - tracer: makes a span for the run and one for each step.
    ///   - context: the parent of the run's span.
    ///   - signposts: whether Instruments shows the run and its steps as intervals.
    ///   - other: receives all events, too.
    public init(
      logger: Logger? = Logger(label: "flowrun"), metrics: (any MetricsFactory)? = MetricsSystem.factory,
      tracer: (any Tracer)? = InstrumentationSystem.tracer, context: ServiceContext = .current ?? .topLevel,
      signposts: Bool = true, passingOnTo other: (any RunObserver)? = nil
    ) {
      self.other = other
      var parts: [any RunSignal] = []
      if let logger { parts.append(RunLog(logger)) }
      if let metrics { parts.append(RunMetrics(metrics)) }
      if let tracer { parts.append(RunSpans(tracer, context)) }
      #if canImport(os)
        if signposts { parts.append(SignpostSignal()) }
      #endif
      self.parts = Mutex(parts)
    }

    /// Passes the events on to each part.
    public func receive(_ events: [RunEvent]) {
      other?.receive(events)
      parts.withLock { parts in
        for index in parts.indices {
          for event in events { parts[index].receive(event) }
        }
      }
    }
  }

  extension StepID {
    /// The step as the workflow names it, without the number of an item, so that a metric has few dimensions.
    var nameInWorkflow: String { String(text.prefix { $0 != "[" }) }
  }
#endif
