import FlowEngine
import FlowModel

extension InsightPage {
  /// The page of a forecast; `suggestions` are its suggestions as sentences, `budgets` the rules with what came of
  /// them.
  package init(_ forecast: Forecast, suggestions: [String], budgets: [BudgetResult], notes: [String]) {
    let workflow = forecast.model.graph.workflow
    self.init(
      title: workflow.name, subtitle: "Forecast of \(forecast.runs) runs, seed \(forecast.model.options.seed)")
    add(figures: Self.figures(forecast) + [("held by the minimum", PageText.share(forecast.heldShare))])
    add("Budgets", Self.budgets(budgets))
    let bounds = forecast.model.resolution.gate
    let histogram = PageHistogram(
      values: forecast.ready, minimum: bounds.minimumNanoseconds, maximum: bounds.maximumNanoseconds)
    add("Distribution", histogram.html)
    let middle = forecast.run(atShare: 0.5)
    let slow = forecast.run(atShare: 0.95)
    let courses = forecast.model.courses([middle, slow])
    add(
      "Two runs", Self.legend, PageTimeline(title: "The median run", course: courses[0]).html,
      PageTimeline(title: "The run at P95", course: courses[1]).html)
    add("What would help", Self.list(suggestions))
    let look = forecast.closeLook
    let rows = workflow.steps.indices.map { index in
      let lengths = forecast.lengths(of: StepIndex(index))
      return Self.row(
        workflow.steps[index].id.text, look.criticality.isEmpty ? 0 : look.criticality[index], lengths.value(0.5),
        lengths.value(0.95), [.init(forecast.model.source(of: StepIndex(index)).rawValue)])
    }
    add(
      "Steps",
      PageTable(caption: "All steps", columns: Self.stepColumns + ["times from"], rows: Self.sorted(rows)).html)
    add(markup: PageGraph(shape: courses[0].shape, criticality: look.criticality).html)
    add("What this rests on", Self.list(notes))
  }

  /// The page of one run.
  package init(_ analysis: RunAnalysis, suggestions: [String], budgets: [BudgetResult], notes: [String]) {
    let run = analysis.run
    let course = run.course
    self.init(title: run.workflow, subtitle: "Run \(run.id)")
    let causes = analysis.causes
    add(
      figures: [
        ("ready", PageText.time(course.readyAt))
      ] + (course.hasGate ? [("gate opened", PageText.time(course.openedAt))] : []) + [
        ("outcome", course.outcome?.word ?? "–"), ("the run took", PageText.time(run.nanoseconds)),
      ])
    add("Budgets", Self.budgets(budgets))
    add("Timeline", Self.legend, PageTimeline(title: "This run", course: course).html)
    let names = course.shape.steps.map(\.id)
    let links = analysis.criticalPath.map { link -> [PageTable.Cell] in
      [
        .init(link.step.map { names[$0] } ?? "–"), .init(link.cause.rawValue),
        .init(PageText.time(link.start), Double(link.start)), .init(PageText.time(link.length), Double(link.length)),
      ]
    }
    let parts = PathCause.allCases.compactMap { cause in
      causes[cause].flatMap { $0 > 0 ? "\(cause.rawValue) \(PageText.time($0))" : nil }
    }
    add(
      "The critical path to the gate",
      PageTable(caption: parts.joined(separator: ", "), columns: ["step", "spent on", "from", "took"], rows: links).html
    )
    add("What would have helped", Self.list(suggestions))
    add("Steps", Self.steps(of: analysis))
    let onPath = Set(analysis.criticalPath.compactMap(\.step))
    add(markup: PageGraph(shape: course.shape, criticality: names.indices.map { onPath.contains($0) ? 1 : 0 }).html)
    add("Notes", Self.list(notes))
  }

  /// The page of several runs.
  package init(
    _ sample: RunSample, figures: [(String, Double, Double?, Double?)], budgets: [BudgetResult],
    notes: [String]
  ) {
    self.init(title: sample.runs[0].workflow, subtitle: "\(sample.runs.count) runs")
    add(figures: Self.figures(sample))
    add("Budgets", Self.budgets(budgets))
    let course = sample.runs[0].course
    add("Distribution", PageHistogram(values: sample.ready, minimum: course.minimum, maximum: course.maximum).html)
    add(
      "Two runs", Self.legend,
      PageTimeline(title: "The median run", course: sample.run(atShare: 0.5).course).html,
      PageTimeline(title: "The run at P95", course: sample.run(atShare: 0.95).course).html)
    let rows = figures.map { Self.row($0.0, $0.1, $0.2, $0.3, []) }
    add("Steps", PageTable(caption: "All steps", columns: Self.stepColumns, rows: Self.sorted(rows)).html)
    add("Notes", Self.list(notes))
  }

  // MARK: Parts

  private static let stepColumns = ["step", "on the critical path", "P50", "P95"]

  private static func row(
    _ name: String, _ criticality: Double, _ p50: Double?, _ p95: Double?, _ more: [PageTable.Cell]
  ) -> [PageTable.Cell] {
    func time(_ milliseconds: Double?) -> PageTable.Cell {
      .init(milliseconds.map { PageText.time(Int($0 * 1_000_000)) } ?? "–", milliseconds ?? -1)
    }
    return [.init(name), .init(PageText.share(criticality), criticality), time(p50), time(p95)] + more
  }

  /// The steps that are most often on the critical path first.
  private static func sorted(_ rows: [[PageTable.Cell]]) -> [[PageTable.Cell]] {
    rows.enumerated().sorted { ($0.element[1].number ?? 0, $1.offset) > ($1.element[1].number ?? 0, $0.offset) }.map(
      \.element)
  }

  private static func figures(_ runs: some CountedRuns) -> [(name: String, value: String)] {
    [
      ("ready, P50", PageText.time(runs.ready.value(0.5))),
      ("ready, P95", PageText.time(runs.ready.value(0.95))),
      ("opened, P50", PageText.time(runs.opened.value(0.5))),
      ("opened, P95", PageText.time(runs.opened.value(0.95))), ("timed out", PageText.share(runs.missed)),
      ("failed", PageText.share(runs.failed)),
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
    return PageTable(caption: "Rules and what came of them", columns: ["rule", "found", "allowed", ""], rows: rows).html
  }

  private static func steps(of analysis: RunAnalysis) -> String {
    let course = analysis.run.course
    let rows = course.steps.indices.filter { course.steps[$0].startedAt != nil }.map { index -> [PageTable.Cell] in
      let step = course.steps[index]
      let (started, ended) = (step.startedAt ?? 0, step.endedAt ?? step.startedAt ?? 0)
      let slack = analysis.slack[index].map { value -> PageTable.Cell in
        value.map { .init(PageText.time($0), Double($0)) } ?? .init("any", .infinity)
      }
      return [
        .init(course.shape.steps[index].id), .init(PageText.time(started), Double(started)),
        .init(PageText.time(ended - started), Double(ended - started)), slack ?? .init("–", -1),
        .init(step.outcome?.word ?? "–"),
      ]
    }
    return PageTable(
      caption: "The steps that ran; slack is by how much one could have been longer",
      columns: ["step", "started", "took", "slack", "outcome"], rows: rows
    ).html
  }
}

extension Forecast {
  /// The number of the run that was ready later than this share of them.
  package func run(atShare share: Double) -> Int {
    let times = readyTimes
    let order = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
    return order.isEmpty ? 0 : order[Quantiles.rank(share, of: order.count)]
  }
}
