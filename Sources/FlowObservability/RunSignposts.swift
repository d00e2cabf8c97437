// This file is not compiled on Linux, which has no module `os`. It needs no packages, so it does not depend on the
// trait.
#if canImport(os)
  import FlowEngine
  import FlowModel
  import Synchronization
  import os

  /// Shows a run and its steps as intervals in Instruments, and the opening of the gate as an event.
  ///
  /// ```swift
  /// options.observer = RunSignposts()
  /// ```
  /// It needs neither the trait `Observability` nor the packages that the trait fetches. `RunObservability` includes
  /// these signposts. Each run needs its own observer.
  public final class RunSignposts: RunObserver {
    private let other: (any RunObserver)?
    private let signals = Mutex(SignpostSignal())

    /// Creates an observer of one run. `other` is another observer that receives all events.
    public init(passingOnTo other: (any RunObserver)? = nil) { self.other = other }

    /// Shows the events in Instruments and passes them on to the other observer, if there is one.
    public func receive(_ events: [RunEvent]) {
      other?.receive(events)
      signals.withLock { signals in
        for event in events { signals.receive(event) }
      }
    }
  }

  struct SignpostSignal: RunSignal {
    private let signposter = OSSignposter(subsystem: "flowrun", category: "Runs")
    private var run: OSSignpostIntervalState?
    private var steps: [StepID: OSSignpostIntervalState] = [:]

    mutating func receive(_ event: RunEvent) {
      switch event.kind {
      case .runStarted(let workflow, _, _):
        run = signposter.beginInterval("Run", id: signposter.makeSignpostID(), "\(workflow)")
      case .stepStarted(let step, _, _):
        guard steps[step] == nil else { return }
        steps[step] = signposter.beginInterval("Step", id: signposter.makeSignpostID(), "\(step.text)")
      case .stepFinished(let step, let finished):
        guard let state = steps.removeValue(forKey: step) else { return }
        signposter.endInterval("Step", state, "\(finished.outcome.word)")
      case .gateOpened(let outcome): signposter.emitEvent("Gate", "\(outcome.word)")
      case .runFinished(let conclusion):
        guard let run else { return }
        signposter.endInterval("Run", run, "\(conclusion.rawValue)")
      default: break
      }
    }
  }
#endif
