#if Observability
  import CoreMetrics
  import FlowEngine
  import FlowModel
  import Logging
  import Synchronization
  import Tracing

  /// Converts the events of a run to log messages, metrics and spans, and on Apple's platforms also to signposts.
  ///
  /// ```swift
  /// options.observer = RunObservability()
  /// let run = try engine.start(Workflows.launch, .init(), options: options)
  /// ```
  /// By default, log messages, metrics and spans are sent to the backends that the app has bootstrapped with swift-log,
  /// swift-metrics and swift-distributed-tracing. Each run needs its own observer. Times are taken from the run, so
  /// they are exact although events are delivered some milliseconds late. Only the times of signposts are not exact.
  public final class RunObservability: RunObserver {
    private let other: (any RunObserver)?
    private let parts: Mutex<[any RunSignal]>

    /// Creates an observer of one run. Outputs whose parameter is nil are left out.
    ///
    /// - Parameters:
    ///   - logger: Receives the output lines of steps, and messages about the run and its steps.
    ///   - metrics: Creates the timers and counters of ``RunMetrics``.
    ///   - tracer: Creates spans for the run, its steps and their attempts.
    ///   - context: The parent of the run's span.
    ///   - signposts: True to show the run and its steps as intervals in Instruments.
    ///   - other: Another observer that receives all events.
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

    /// Converts the events and passes them on to the other observer, if there is one.
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
    /// The id of the step without the index of an item. It limits the number of values of a metric's dimension.
    var nameInWorkflow: String { String(text.prefix { $0 != "[" }) }
  }
#endif
