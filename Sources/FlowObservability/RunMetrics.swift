#if Observability
  import CoreMetrics
  import FlowEngine
  import FlowModel

  /// Measures durations and counts outcomes of runs, gates and steps.
  ///
  /// Timers: `flowrun_run_duration`, `flowrun_gate_duration` (from activation, with the dimension `outcome`) and
  /// `flowrun_step_duration` (only of steps that ran, with `step`). Counters: `flowrun_runs` (with `conclusion`),
  /// `flowrun_steps` (with `step` and `outcome`) and `flowrun_step_retries` (with `step`). All have the dimension
  /// `workflow`. Items are counted under their step.
  struct RunMetrics: RunSignal {
    private let factory: any MetricsFactory
    private var workflow = ""
    private var activatedAtNanoseconds = 0

    init(_ factory: any MetricsFactory) { self.factory = factory }

    mutating func receive(_ event: RunEvent) {
      switch event.kind {
      case .runStarted(let workflow, _, _): self.workflow = workflow
      case .runActivated: activatedAtNanoseconds = event.atNanoseconds
      case .gateOpened(let outcome):
        timer("flowrun_gate_duration", ("outcome", outcome.word))
          .recordNanoseconds(event.atNanoseconds - activatedAtNanoseconds)
      case .stepRetrying(let step, _, _, _): count("flowrun_step_retries", ("step", step.nameInWorkflow))
      case .stepFinished(let step, let finished):
        count("flowrun_steps", ("step", step.nameInWorkflow), ("outcome", finished.outcome.word))
        guard let milliseconds = finished.durationMilliseconds else { return }
        timer("flowrun_step_duration", ("step", step.nameInWorkflow)).recordNanoseconds(Int64(milliseconds * 1e6))
      case .runFinished(let conclusion):
        count("flowrun_runs", ("conclusion", conclusion.rawValue))
        timer("flowrun_run_duration").recordNanoseconds(event.atNanoseconds)
      default: break
      }
    }

    private func timer(_ label: String, _ dimensions: (String, String)...) -> Timer {
      Timer(label: label, dimensions: [("workflow", workflow)] + dimensions, factory: factory)
    }

    private func count(_ label: String, _ dimensions: (String, String)...) {
      Counter(label: label, dimensions: [("workflow", workflow)] + dimensions, factory: factory).increment()
    }
  }
#endif
