#if Observability
  import FlowEngine
  import FlowModel
  import FlowPluginKit
  import Logging

  /// Logs the output lines of steps and plugins, and the events of the run and its steps. Messages have the metadata
  /// `workflow`, `run`, and `step` or `plugin`. Starts, and ends of steps that did not fail, are logged at the level
  /// debug.
  struct RunLog: RunSignal {
    private var logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    mutating func receive(_ event: RunEvent) {
      switch event.kind {
      case .runStarted(let workflow, let runID, _):
        logger[metadataKey: "workflow"] = .string(workflow)
        logger[metadataKey: "run"] = .string(runID)
        logger.debug("the run starts")
      case .stepStarted(let step, let attempt, _):
        logger.debug("step started", metadata: ["step": .string(step.text), "attempt": .stringConvertible(attempt)])
      case .stepLog(let step, let level, _, let message):
        logger.log(level: level.forLogger, "\(message)", metadata: ["step": .string(step.text)])
      case .pluginLog(let plugin, _, let message):
        logger.info("\(message)", metadata: ["plugin": .string(plugin)])
      case .stepRetrying(let step, let attempt, _, let failure):
        logger.warning(
          "attempt \(attempt) of the step failed and is repeated: \(failure?.message ?? "")",
          metadata: ["step": .string(step.text)])
      case .stepFinished(let step, let finished): log(finished, of: step)
      case .gateLate(let step):
        logger.warning("the step did not finish before the gate opened", metadata: ["step": .string(step.text)])
      case .gateOpened(let outcome):
        logger.log(level: outcome == .ready ? .info : .warning, "the gate opened: \(outcome.word)")
      case .warning(let message): logger.warning("\(message)")
      case .runFinished(let conclusion):
        logger.log(level: conclusion == .failure ? .error : .info, "the run finished: \(conclusion.rawValue)")
      default: break
      }
    }

    private func log(_ finished: RunEvent.FinishedStep, of step: StepID) {
      var metadata: Logger.Metadata = ["step": .string(step.text), "outcome": .string(finished.outcome.word)]
      if let reason = finished.reason { metadata["reason"] = .string(reason.word) }
      if let milliseconds = finished.durationMilliseconds {
        metadata["milliseconds"] = .stringConvertible(milliseconds)
      }
      guard let failure = finished.failure else { return logger.debug("step finished", metadata: metadata) }
      metadata["code"] = .string(failure.code)
      // The failure of an optional step is only a warning.
      let level: Logger.Level = finished.conclusion == finished.outcome ? .error : .warning
      logger.log(level: level, "step failed: \(failure.message)", metadata: metadata)
    }
  }

  extension LogLevel {
    fileprivate var forLogger: Logger.Level {
      switch self {
      case .debug: .debug
      case .info: .info
      case .warning: .warning
      case .error: .error
      }
    }
  }
#endif
