// Not compiled on Linux, where there is no `os`.
#if Observability && canImport(os)
  import FlowEngine
  import FlowModel
  import os

  /// The run and its steps as intervals in Instruments, and the gate as an event.
  struct RunSignposts: RunSignal {
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
