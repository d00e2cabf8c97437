import FlowModel

extension RunReport {
  /// The report with all secrets hidden. Its texts are masked when they are recorded, so this is a second line of
  /// defense.
  package var masked: RunReport {
    guard let mask else { return self }
    var report = self
    report.source = .steps(steps.map { step in step.withTexts { mask.masked($0) } })
    report.workflow = mask.masked(workflow)
    report.outputs = mask.masked(outputs)
    report.warnings = warnings.map { mask.masked($0) }
    report.origin.inputs = mask.masked(origin.inputs)
    report.origin.lastLines = origin.lastLines.mapValues { lines in lines.map { mask.masked($0) } }
    report.origin.jobs = origin.jobs.map { mask.masked($0) }
    report.origin.accountingProblem = origin.accountingProblem.map { mask.masked($0) }
    return report
  }
}

extension RunReport.Step {
  /// Returns the step with its texts replaced: its name, the messages of failures, and the keys and names of items.
  package func withTexts(_ replacement: (String) -> String) -> Self {
    var step = self
    step.name = name.map(replacement)
    step.failure = failure.map { StepFailure(code: $0.code, message: replacement($0.message)) }
    step.items = items?.map { item in
      var item = item
      item.key = item.key.map(replacement)
      item.name = item.name.map(replacement)
      item.failure = item.failure.map { StepFailure(code: $0.code, message: replacement($0.message)) }
      item.steps = item.steps?.map { $0.withTexts(replacement) }
      return item
    }
    return step
  }
}
