extension InsightPage {
  /// A value before and after a change, in milliseconds, with a verdict on the difference.
  package struct Change: Sendable {
    /// The label of the value, such as the name of a step.
    package var name: String
    /// The value before, or nil if it did not exist.
    package var before: Double?
    /// The value after, or nil if it does not exist.
    package var after: Double?
    /// The verdict on the difference, such as `noise`, as shown on the page.
    package var verdict: String

    package init(name: String, before: Double?, after: Double?, verdict: String) {
      (self.name, self.before, self.after, self.verdict) = (name, before, after, verdict)
    }
  }

  /// Creates the page of a comparison of runs. `gate` and `steps` are the changed values, and `notes` are sentences
  /// about the comparison.
  package init(
    _ comparison: RunComparison, gate: [Change], steps: [Change], budgets: [BudgetResult], notes: [String]
  ) {
    let (before, after) = (comparison.before, comparison.after)
    self.init(
      title: after.runs[0].workflow,
      subtitle: "\(before.runs.count.counted("run")) before, \(after.runs.count) now"
    )
    let course = after.runs[0].course
    add(figures: Self.figures(gate))
    add("Budgets", Self.budgets(budgets))
    add(course.hasGate ? "The gate" : "The end", Self.table("Medians", gate))
    let sides = [("before", before), ("now", after)]
    add(
      "Distribution",
      PageHistogram.html(
        sides.map { name, sample in
          let course = sample.runs[0].course
          return PageHistogram(
            values: sample.ready, minimum: course.minimum, maximum: course.maximum, hasGate: course.hasGate, side: name)
        }))
    add(
      rows: "Two runs",
      PageTimeline.html(
        sides.map {
          PageTimeline(title: "\($1.runs.count > 1 ? "The median run" : "The run"), \($0)", run: $1.run(atShare: 0.5))
        }))
    add(rows: "Steps", Self.table("Medians, largest change first", steps))
    let criticalPath = comparison.criticalPath.map { row -> [PageTable.Cell] in
      [.init(row.name), .init(PageText.share(row.before), row.before), .init(PageText.share(row.after), row.after)]
    }
    add(
      course.hasGate ? "On the critical path to the gate" : "On the critical path",
      PageTable(caption: "Share of runs, where it changed", columns: ["step", "before", "now"], rows: criticalPath).html
    )
    add("Notes", Self.list(notes))
  }

  /// Creates the page that compares two forecasts.
  package init(
    _ before: ForecastRecord, _ after: ForecastRecord, gate: [Change], steps: [Change], budgets: [BudgetResult]
  ) {
    self.init(
      title: after.workflow, subtitle: "A forecast of \(before.runs.counted("run")) before, of \(after.runs) now")
    add(figures: Self.figures(gate))
    add("Budgets", Self.budgets(budgets))
    add("The gate", Self.table("Quantiles", gate))
    add(rows: "Steps", Self.table("P50, largest change first", steps))
  }

  private static func figures(_ gate: [Change]) -> [(name: String, value: String)] {
    gate.map { ($0.name, "\(time($0.before).text) → \(time($0.after).text)") }
  }

  private static func table(_ caption: String, _ changes: [Change]) -> String {
    let rows = changes.map { change -> [PageTable.Cell] in
      let difference = change.before.flatMap { before in change.after.map { $0 - before } }
      return [
        .init(change.name), time(change.before), time(change.after), time(difference, isSigned: true),
        .init(change.verdict),
      ]
    }
    return PageTable(caption: caption, columns: ["of", "before", "now", "change", "verdict"], rows: rows).html
  }

  private static func time(_ milliseconds: Double?, isSigned: Bool = false) -> PageTable.Cell {
    guard let milliseconds, milliseconds.isFinite else { return .init("–", -1e300) }
    let nanoseconds = Int(min(max(milliseconds, -1e12), 1e12) * 1_000_000)
    guard isSigned && milliseconds > 0 else { return .init(nanoseconds: nanoseconds) }
    return .init("+" + PageText.time(nanoseconds), Double(nanoseconds))
  }
}

extension RunSample {
  /// Returns the run at the quantile `share` when runs are sorted by the time until everything was ready.
  func run(atShare share: Double) -> ReportedRun {
    let order = runs.sorted { ($0.course.readyAt ?? .max, $0.id) < ($1.course.readyAt ?? .max, $1.id) }
    return order[Quantiles.rank(share, of: order.count)]
  }
}
