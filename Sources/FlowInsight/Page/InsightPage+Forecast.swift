import FlowEngine
import FlowModel

extension InsightPage {
  /// Creates the page of a forecast. `suggestions` are complete sentences, and `budgets` are rules with their results.
  package init(_ forecast: Forecast, suggestions: [String], budgets: [BudgetResult], notes: [String]) {
    let workflow = forecast.model.graph.workflow
    self.init(
      title: workflow.name, subtitle: "Forecast of \(forecast.runs.counted("run")), seed \(forecast.model.options.seed)"
    )
    let bounds = forecast.model.resolution.gate
    let middle = forecast.run(atShare: 0.5)
    let slow = forecast.run(atShare: 0.95)
    let courses = forecast.model.courses([middle, slow])
    let held = bounds.minimumNanoseconds > 0 ? [("held by the minimum", PageText.share(forecast.heldShare))] : []
    add(figures: Self.figures(forecast, hasGate: courses[0].hasGate) + held)
    add("Budgets", Self.budgets(budgets))
    let histogram = PageHistogram(
      values: forecast.ready, minimum: bounds.minimumNanoseconds, maximum: bounds.maximumNanoseconds,
      hasGate: courses[0].hasGate)
    add("Distribution", PageHistogram.html([histogram]))
    add(
      rows: "Two runs",
      PageTimeline.html([
        PageTimeline(title: "The median run", course: courses[0]),
        PageTimeline(title: "The run at P95", course: courses[1]),
      ]))
    add("Suggestions", Self.list(suggestions))
    let look = forecast.closeLook
    let rows = workflow.steps.indices.map { index in
      let lengths = forecast.lengths(of: StepIndex(index))
      return Self.row(
        workflow.steps[index].id.text, look.criticality.isEmpty ? 0 : look.criticality[index], lengths.value(0.5),
        lengths.value(0.95), [.init(forecast.model.source(of: StepIndex(index)).rawValue)])
    }
    add(
      rows: "Steps",
      PageTable(caption: "All steps", columns: Self.stepColumns + ["times from"], rows: Self.sorted(rows)).html)
    add("graph", markup: PageGraph(shape: courses[0].shape, criticality: look.criticality).html)
    add("Data and assumptions", Self.list(notes))
  }

  /// Creates the page of several recorded runs.
  package init(
    _ sample: RunSample, figures: [(String, Double, Double?, Double?)], budgets: [BudgetResult],
    notes: [String]
  ) {
    self.init(title: sample.runs[0].workflow, subtitle: sample.runs.count.counted("run"))
    let course = sample.runs[0].course
    add(figures: Self.figures(sample, hasGate: course.hasGate))
    add("Budgets", Self.budgets(budgets))
    let histogram = PageHistogram(
      values: sample.ready, minimum: course.minimum, maximum: course.maximum, hasGate: course.hasGate)
    add("Distribution", PageHistogram.html([histogram]))
    add(
      rows: "Two runs",
      PageTimeline.html([
        PageTimeline(title: "The median run", run: sample.run(atShare: 0.5)),
        PageTimeline(title: "The run at P95", run: sample.run(atShare: 0.95)),
      ]))
    let rows = figures.map { Self.row($0.0, $0.1, $0.2, $0.3, []) }
    add(rows: "Steps", PageTable(caption: "All steps", columns: Self.stepColumns, rows: Self.sorted(rows)).html)
    add("Notes", Self.list(notes))
  }

  /// Adds a section that explains why there is no forecast.
  package mutating func add(noForecast reason: String) { add("Forecast", "<p>\(PageText.escaped(reason))</p>") }

  /// Adds a section that forecasts the next runs. `premise` is a sentence about the assumed inputs.
  package mutating func add(_ forecast: Forecast, premise: String) {
    let bounds = forecast.model.resolution.gate
    let hasGate = forecast.model.courses([0])[0].hasGate
    let histogram = PageHistogram(
      values: forecast.ready, minimum: bounds.minimumNanoseconds, maximum: bounds.maximumNanoseconds, hasGate: hasGate)
    add(
      "Forecast",
      "<p>\(forecast.runs) simulated runs with the times of these\(PageText.escaped(premise)). <code>flowrun simulate FILE --from .</code> tells more.</p>",
      Self.figures(Self.figures(forecast, hasGate: hasGate)), PageHistogram.html([histogram]))
  }

  private static let stepColumns = ["step", "on the critical path", "P50", "P95"]

  private static func row(
    _ name: String, _ criticality: Double, _ p50: Double?, _ p95: Double?, _ more: [PageTable.Cell]
  ) -> [PageTable.Cell] {
    func time(_ milliseconds: Double?) -> PageTable.Cell {
      .init(nanoseconds: milliseconds.map { Int($0 * 1_000_000) })
    }
    return [.init(name), .init(PageText.share(criticality), criticality), time(p50), time(p95)] + more
  }

  /// Sorts rows by the share of runs in which the step is on the critical path, largest first.
  private static func sorted(_ rows: [[PageTable.Cell]]) -> [[PageTable.Cell]] {
    rows.enumerated().sorted { ($0.element[1].number ?? 0, $1.offset) > ($1.element[1].number ?? 0, $0.offset) }.map(
      \.element)
  }

  private static func figures(_ runs: some CountedRuns, hasGate: Bool) -> [(name: String, value: String)] {
    let word = hasGate ? "ready" : "finished"
    let ready = [
      ("\(word), P50", PageText.time(runs.ready.value(0.5))), ("\(word), P95", PageText.time(runs.ready.value(0.95))),
    ]
    guard hasGate else { return ready + [("failed", PageText.share(runs.failed))] }
    return ready + [
      ("opened, P50", PageText.time(runs.opened.value(0.5))), ("opened, P95", PageText.time(runs.opened.value(0.95))),
      ("timed out", PageText.share(runs.missed)), ("failed", PageText.share(runs.failed)),
    ]
  }

  static func budgets(_ budgets: [BudgetResult]) -> String {
    guard !budgets.isEmpty else { return "" }
    func text(_ value: Double?, _ budget: BudgetResult) -> String {
      guard let value, value.isFinite else { return "never" }
      return budget.isShare ? PageText.share(value) : PageText.time(Int(min(value, 1e12) * 1_000_000))
    }
    let rows = budgets.map { budget -> [PageTable.Cell] in
      [
        .init(budget.rule.text), .init(budget.isMeasured ? text(budget.value, budget) : "never runs"),
        .init(text(budget.limit, budget)), .init(budget.isBroken ? "broken" : "kept"),
      ]
    }
    return PageTable(caption: "Rules and results", columns: ["rule", "found", "allowed", "result"], rows: rows).html
  }
}

extension Forecast {
  /// Returns the number of the run at the quantile `share` when runs are sorted by the time until everything is ready.
  package func run(atShare share: Double) -> Int {
    let times = readyTimes
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    return order.isEmpty ? 0 : order[Quantiles.rank(share, of: order.count)]
  }
}
