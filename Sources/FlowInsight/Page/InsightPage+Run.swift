import FlowEngine
import FlowModel

extension InsightPage {
  /// The maximum number of panels for failures.
  private static let shownFailures = 20
  /// The maximum number of steps whose items are listed, and of listed items per step.
  private static let (listedSteps, listedItems) = (10, 1_000)

  /// Creates the page of one run: its conclusion, its failures with their causes, the gate, the timeline and the steps.
  /// `stepPage` is the prefix of links to pages of steps, or nil if there are none.
  package init(
    _ analysis: RunAnalysis, suggestions: [String], budgets: [BudgetResult], notes: [String], stepPage: String? = nil
  ) {
    let run = analysis.run
    let course = run.course
    var timeline = PageTimeline(title: "This run", run: run)
    timeline.slack = analysis.slack
    self.init(title: run.workflow)
    add("headline", markup: Self.headline(run))
    add("failures", markup: Self.failures(run, timeline, stepPage: stepPage))
    add("Warnings", Self.list(run.warnings))
    add("Outputs", Self.facts(run.outputs))
    if course.hasGate { add("Gate", Self.gate(run)) }
    add("Budgets", Self.budgets(budgets))
    add(rows: "Steps", timeline.html, Self.steps(of: analysis, timeline))
    // If steps have their own pages, those list the items.
    if stepPage == nil {
      for (index, items) in run.itemStates.sorted(by: { $0.key < $1.key }).prefix(Self.listedSteps)
      where items.count <= Self.listedItems {
        let step = course.shape.steps[index]
        add("Items of \(step.label)", Self.items(items, of: step.id, itemPage: nil))
      }
    }
    let names = course.shape.steps.map(\.label)
    let links = Self.criticalPath(analysis).map { link -> [PageTable.Cell] in
      [
        .init(link.step.map { names[$0] } ?? "–"),
        .init(link.causes.count > 1 ? Self.parts(link.causes).joined(separator: ", ") : link.cause.rawValue),
        .init(nanoseconds: link.start), .init(nanoseconds: link.length),
      ]
    }
    let parts = Self.parts(analysis.causes)
    add(
      course.hasGate ? "The critical path to the gate" : "The critical path",
      PageTable(caption: parts.joined(separator: ", "), columns: ["step", "spent on", "from", "took"], rows: links).html
    )
    add("Suggestions", Self.list(suggestions))
    let onPath = Set(analysis.criticalPath.compactMap(\.step))
    var graph = PageGraph(shape: course.shape, criticality: names.indices.map { onPath.contains($0) ? 1 : 0 })
    graph.outcomes = course.steps.indices.map { index in
      let step = course.steps[index]
      return step.outcome?.word
        ?? (run.interrupted.contains(index) ? PageGraph.cutOff : step.startedAt == nil ? "" : "running")
    }
    graph.details = run.itemStates.mapValues { ReportedItem.counts($0) }
    graph.stepPage = stepPage
    add("graph", markup: graph.html)
    add("Notes", Self.list(notes.filter { !run.warnings.contains($0) }))
  }

  /// One or more consecutive segments of the critical path that share a row of the table.
  private struct PathRow {
    let step: Int?
    let cause: PathCause
    let start: Int
    var length: Int
    var causes: [PathCause: Int]
  }

  /// Returns the rows of the critical path. Consecutive segments of a step with items share a row, because there may be
  /// hundreds.
  private static func criticalPath(_ analysis: RunAnalysis) -> [PathRow] {
    var rows: [PathRow] = []
    for link in analysis.criticalPath {
      if let step = link.step, analysis.run.itemStates[step] != nil, let last = rows.indices.last,
        rows[last].step == step
      {
        rows[last].length += link.length
        rows[last].causes[link.cause, default: 0] += link.length
      } else {
        rows.append(
          PathRow(
            step: link.step, cause: link.cause, start: link.start, length: link.length,
            causes: [link.cause: link.length]))
      }
    }
    return rows
  }

  /// Returns each cause that took time, followed by that time.
  private static func parts(_ causes: [PathCause: Int]) -> [String] {
    PathCause.allCases.compactMap { cause in
      causes[cause].flatMap { $0 > 0 ? "\(cause.rawValue) \(PageText.time($0))" : nil }
    }
  }

  /// Returns the header of a run: its state, duration, workflow, file, start, id, step counts and inputs.
  static func headline(_ run: ReportedRun) -> String {
    let (kind, sign, word) = state(of: run)
    var parts: [String] = []
    if let file = run.file { parts.append("<code>\(PageText.escaped(file))</code>") }
    if let startedAt = run.startedAt {
      let text = startedAt.replacing("T", with: " ").replacing("Z", with: " UTC")
      parts.append("<time datetime=\"\(PageText.escaped(startedAt))\">\(PageText.escaped(text))</time>")
    }
    if let reason = run.launchReason, run.course.hasGate { parts.append("launched by \(PageText.escaped(reason))") }
    if run.isResumed { parts.append("resumed") }
    parts.append("run <code>\(PageText.escaped(run.id))</code>")
    // Whole seconds are exact enough while steps are still running.
    let seconds = run.nanoseconds / 1_000_000_000
    let soFar =
      kind == "running"
      ? " for <span data-elapsed=\"\(run.nanoseconds / 1_000_000)\" data-seconds>\(seconds) s</span>" : ""
    let isOver = kind != "running" && kind != "interrupted"
    return """
      <header><p class="state \(kind)"><b aria-hidden="true">\(sign)</b> \(word)\(soFar)\(isOver ? " in \(PageText.time(run.nanoseconds))" : "")</p>\
      <h1>\(PageText.escaped(run.workflow))</h1><p>\(parts.joined(separator: " · "))</p>\
      <p>\(counts(of: run))</p>\(run.inputs.isEmpty ? "" : "<h2 class=\"small\">Inputs</h2>" + facts(run.inputs))</header>
      """
  }

  private static func state(of run: ReportedRun) -> (kind: String, sign: String, word: String) {
    state(run.conclusion ?? "")
  }

  /// Returns a run's state as a CSS class, a symbol and a word.
  package static func state(_ word: String) -> (kind: String, sign: String, word: String) {
    switch word {
    case "success": ("success", "✓", "Succeeded")
    case "partial": ("partial", "◐", "Partly succeeded")
    case "failure": ("failure", "✗", "Failed")
    case "cancelled": ("cancelled", "⊘", "Cancelled")
    case "running": ("running", "●", "Running")
    case "interrupted": ("interrupted", "!", "Interrupted")
    default: ("cancelled", "–", "Finished")
    }
  }

  /// Returns the outcome or state of a step or item as a CSS class, a symbol and a word.
  package static func state(ofStep word: String) -> (kind: String, sign: String, word: String) {
    switch word {
    case "success", "failure", "cancelled", "running": state(word)
    case "timed-out": ("failure", "✗", "Timed out")
    case "skipped": ("skipped", "⤼", "Skipped")
    case "interrupted": ("interrupted", "!", "Was running when flowrun ended")
    case "waiting": ("skipped", "…", "Waiting")
    default: ("skipped", "–", word)
    }
  }

  /// Returns a summary such as `3 of 5 steps succeeded, 1 failed, 1 skipped`.
  private static func counts(of run: ReportedRun) -> String {
    let steps = run.course.steps
    func count(_ outcome: Outcome, excused: Bool = false) -> Int {
      steps.indices.count {
        steps[$0].outcome == outcome
          && (outcome == .success || outcome == .skipped || run.excused.contains($0) == excused)
      }
    }
    let others = [
      (count(.failure), "failed"), (count(.timedOut), "timed out"),
      (
        count(.failure, excused: true) + count(.timedOut, excused: true), "optional and failed"
      ),
      (count(.cancelled), "cancelled"), (count(.skipped), "skipped"),
      (run.interrupted.count, "running when flowrun ended"),
      (steps.indices.count { steps[$0].outcome == nil && !run.interrupted.contains($0) }, "not finished"),
    ]
    let items = run.itemStates.sorted { $0.key < $1.key }.prefix(3).map { index, items in
      " · \(PageText.escaped(run.course.shape.steps[index].id)): \(ReportedItem.counts(items))"
    }
    return "\(count(.success)) of \(steps.count.counted("step")) succeeded"
      + others.filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }.joined() + items.joined()
  }

  /// Returns a panel for each failure, linked to its bar in the timeline if there is one. Failures that the workflow
  /// allows come last.
  ///
  /// Items of a step that failed for the same reason share a panel (``FailureGroups``). `stepPage` is the prefix of
  /// links to pages of steps, or nil if there are none.
  package static func failures(_ run: ReportedRun, _ timeline: PageTimeline?, stepPage: String? = nil) -> String {
    // If a step includes a workflow and fails, the cause is a step of that workflow.
    let failed = Set(run.failures.map(\.name))
    var owners: Set<String> = []
    for name in failed {
      for index in name.indices where name[index] == "/" { owners.insert(String(name[..<index])) }
    }
    let causes = run.failures.filter { !owners.contains($0.name) }
    let sorted = causes.filter { !$0.isExcused } + causes.filter(\.isExcused)
    guard !sorted.isEmpty else { return "" }
    var rows: [Int: Int] = [:]
    for (row, step) in (timeline?.rowOrder ?? []).enumerated() { rows[step] = row }
    var html = "<section class=\"failures\"><h2>What failed</h2>"
    let groups = FailureGroups.of(sorted)
    for group in groups.prefix(Self.shownFailures) {
      let step = run.course.shape.steps[group[0].step]
      html += panel(group, step, row: rows[group[0].step], stepPage)
    }
    if groups.count > Self.shownFailures {
      html += "<p>… and \(groups.count - Self.shownFailures) more: select the outcome <i>failure</i> below.</p>"
    }
    return html + "</section>"
  }

  /// The maximum number of items named in a panel.
  private static let namedItems = 50

  private static func panel(
    _ group: [ReportedFailure], _ step: CourseShape.Step, row: Int?, _ stepPage: String?
  ) -> String {
    let failure = group[0]
    let name = group.count > 1 ? "\(group.count) items of \(step.id)" : itemName(failure)
    let title = step.name.map { "\($0) (\(name))" } ?? name
    let time = failure.nanoseconds.map { " after \(PageText.time($0))" } ?? ""
    let attempt = failure.attempts > 1 ? ", in attempt \(failure.attempts) of \(failure.attempts)" : ""
    let note = failure.isExcused ? "; the workflow allows it (<code>optional</code>)" : ""
    var html = "<article class=\"panel\(failure.isExcused ? " excused" : "")\"><h3>\(PageText.escaped(title)) "
    html += "<small>\(failure.isTimedOut ? "timed out" : "failed")\(time)\(attempt)\(note)</small></h3>"
    let code = failure.code.isEmpty ? "" : " <code>\(PageText.escaped(failure.code))</code>"
    if !failure.message.isEmpty || !code.isEmpty {
      html += "<p class=\"message\">\(PageText.lines(failure.message))\(code)</p>"
    }
    if group.count > 1 {
      if group.contains(where: { $0.message != failure.message }) {
        html += "<p>This is the message of \(PageText.escaped(failure.name)). "
        html += "The others differ only in values, numbers or paths.</p>"
      }
      let names = group.prefix(Self.namedItems).map { item in
        let text = PageText.escaped(itemName(item))
        guard let stepPage, let end = item.name.firstIndex(of: "]") else { return text }
        return "<a href=\"\(stepPage)\(PageText.inAddress(String(item.name[...end])))\">\(text)</a>"
      }
      let rest = group.count - names.count
      html += "<p>\(names.joined(separator: ", "))\(rest > 0 ? " and \(rest) more" : "")</p>"
    }
    if !failure.lines.isEmpty {
      let name = PageText.escaped(failure.name)
      html += "<pre tabindex=\"0\" role=\"region\" aria-label=\"The last lines of \(name)\">"
      html += PageText.lines(failure.lines.joined(separator: "\n")) + "</pre>"
    }
    return html + (row.map { "<p><a href=\"#bar-\($0)\">Show in the timeline</a></p>" } ?? "") + "</article>"
  }

  /// Returns the name of the failed step or item. If an item has no key, its value follows the name.
  private static func itemName(_ failure: ReportedFailure) -> String {
    guard let value = failure.value, failure.name.hasSuffix("]") else { return failure.name }
    return "\(failure.name) \(ReportedItem.text(value))"
  }

  /// Returns the content of the section about the gate: its outcome, its opening, the time at which everything was
  /// ready, and its minimum and maximum.
  private static func gate(_ run: ReportedRun) -> String {
    let course = run.course
    let state = figure("gate", course.outcome?.word ?? "did not open")
    var figures = [state, figure("opened", course.openedAt.map { PageText.time($0) } ?? "never")]
    if let ready = course.readyAt {
      figures.append(figure("everything ready", PageText.time(ready)))
      if course.outcome == .ready, let opened = course.openedAt, ready < course.minimum {
        figures.append(figure("held by the minimum", PageText.time(max(0, opened - ready))))
      }
    }
    if course.minimum > 0 { figures.append(figure("minimum", PageText.time(course.minimum))) }
    if let maximum = course.maximum { figures.append(figure("maximum", PageText.time(maximum))) }
    return "<dl class=\"figures\">\(figures.joined())</dl>"
  }

  /// Returns the table of all steps, including skipped ones.
  private static func steps(of analysis: RunAnalysis, _ timeline: PageTimeline) -> String {
    let (course, reasons) = (analysis.run.course, analysis.run.reasons)
    let order = timeline.rowOrder
    let rows = order.prefix(PageTable.writtenRows).map { index -> [PageTable.Cell] in
      let why = reasons.isEmpty ? [] : [PageTable.Cell(reasons[index] ?? "")]
      let step = course.steps[index]
      let slack = analysis.slack[index].map { value -> PageTable.Cell in
        value.map { .init(nanoseconds: $0) } ?? .init("any", .infinity)
      }
      let length = step.startedAt.flatMap { start in step.endedAt.map { $0 - start } }
      let items = analysis.run.itemStates[index].map { ": \(ReportedItem.counts($0))" } ?? ""
      let word =
        step.outcome?.word
        ?? (analysis.run.interrupted.contains(index)
          ? PageTimeline.interrupted : step.startedAt == nil ? "–" : PageTimeline.inProgress)
      let shape = course.shape.steps[index]
      var name = PageTable.Cell(shape.label)
      if shape.name != nil { name.step = shape.id }
      let isExcused = analysis.run.excused.contains(index) && step.outcome != .success
      let took =
        word == PageTimeline.inProgress
        ? length.map { PageTable.Cell.elapsed(nanoseconds: $0) } : PageTable.Cell(nanoseconds: length)
      var cells = [name, PageTable.Cell(nanoseconds: step.startedAt), took ?? PageTable.Cell(nanoseconds: nil)]
      if !analysis.slack.isEmpty { cells.append(slack ?? PageTable.Cell("–", -1)) }
      cells.append(PageTable.Cell((isExcused ? "\(word) (optional)" : word) + items))
      return cells + why
    }
    let slack = analysis.slack.isEmpty ? [] : ["slack"]
    let columns = ["step", "started", "took"] + slack + ["outcome"] + (reasons.isEmpty ? [] : ["why not"])
    return PageTable(caption: "All steps", columns: columns, rows: rows, timelineRows: order.count).html
      + (slack.isEmpty
        ? "" : "<p class=\"legend\">Slack is how much longer a step could have taken without delaying the end.</p>")
  }
}
