import FlowEngine

/// A run as rows of bars: when each step waited and ran, and what is on the critical path to the gate.
struct PageTimeline {
  let title: String
  let course: RunCourse

  /// Rows that are shown at most.
  private static let shownRows = 150

  private struct Bar {
    var kind: String
    var start: Int
    var end: Int
    var text: String
  }

  var html: String {
    let criticalPath = CriticalPath(course)
    let onPath = Set(criticalPath.links.compactMap(\.step))
    let ran = course.steps.indices.filter { course.steps[$0].startedAt != nil }
    let order = ran.sorted { (course.steps[$0].startedAt!, $0) < (course.steps[$1].startedAt!, $1) }
    let shown =
      order.count > Self.shownRows
      ? Array((order.filter(onPath.contains) + order.filter { !onPath.contains($0) }).prefix(Self.shownRows)) : order
    let last = shown.compactMap { course.steps[$0].endedAt }.max() ?? 0
    let whole = max(1, last, course.openedAt ?? 0)
    var html =
      "<figure class=\"timeline\"><figcaption>\(PageText.escaped(title)): ready at \(PageText.time(course.readyAt))"
      + (course.hasGate ? ", the gate opened at \(PageText.time(course.openedAt))" : "") + "</figcaption>"
    html +=
      "<div class=\"scroll rows\" tabindex=\"0\" role=\"list\" aria-label=\"\(PageText.escaped(title))\"><div class=\"zoom\">"
    for step in shown { html += row(step, bars(of: step, criticalPath), isOnPath: onPath.contains(step), whole) }
    html += axis(whole) + "</div></div>"
    if shown.count < order.count { html += "<p>… and \(order.count - shown.count) steps more</p>" }
    return html + "</figure>"
  }

  private func row(_ step: Int, _ bars: [Bar], isOnPath: Bool, _ whole: Int) -> String {
    let id = PageText.escaped(course.shape.steps[step].id)
    let state = course.steps[step]
    let span = "\(PageText.time(state.startedAt)) to \(PageText.time(state.endedAt))"
    let text = "\(id): \(span)\(isOnPath ? ", on the critical path" : "")"
    var html =
      "<div class=\"row\(isOnPath ? " on" : "")\" role=\"listitem\" aria-label=\"\(text)\" data-tip=\"\(text)\">"
    html += "<span class=\"name\">\(id)</span><span class=\"track\">"
    for bar in bars where bar.end >= bar.start {
      html +=
        "<i class=\"\(bar.kind)\" style=\"left:\(percent(bar.start, whole));width:\(percent(bar.end - bar.start, whole))\""
      html += " data-tip=\"\(id): \(PageText.escaped(bar.text))\"></i>"
    }
    if course.hasGate, let opened = course.openedAt { html += "<b style=\"left:\(percent(opened, whole))\"></b>" }
    return html + "</span></div>"
  }

  private func axis(_ whole: Int) -> String {
    var html = "<div class=\"row axis\" aria-hidden=\"true\"><span class=\"name\"></span><span class=\"track\">"
    for part in 0...4 {
      html += "<em style=\"left:\(part * 25)%\">\(PageText.time(whole / 4 * part))</em>"
    }
    return html + "</span></div>"
  }

  private func percent(_ part: Int, _ whole: Int) -> String {
    PageText.fixed(min(100, max(0, Double(part) / Double(whole) * 100)), 3) + "%"
  }

  private func bars(of step: Int, _ criticalPath: CriticalPath) -> [Bar] {
    let state = course.steps[step]
    guard let started = state.startedAt, let ended = state.endedAt else { return [] }
    var bars: [Bar] = []
    func add(_ kind: PathCause, _ start: Int, _ end: Int) {
      guard end > start || kind == .run else { return }
      let name = kind == .stepMinimum ? "minimum" : kind.rawValue
      bars.append(
        Bar(kind: name, start: max(0, start), end: max(0, end), text: "\(kind.rawValue) \(PageText.time(end - start))"))
    }
    if let ready = state.readyAt, ready < started {
      let shape = course.shape.steps[step]
      let isLimited = course.shape.concurrency != nil || course.shape.widths[shape.queue] != nil
      add(isLimited ? .queue : shape.takesResources ? .resources : .thread, ready, started)
    }
    // What the way says of the step is more exact than what its state does.
    let own = criticalPath.links.filter {
      $0.step == step && $0.cause != .event && $0.cause != .gate && $0.start >= started
    }
    if !own.isEmpty, own.map(\.end).max() == ended {
      for link in own { add(link.cause, link.start, link.end) }
    } else if state.attemptTimes.isEmpty {
      let begun = state.beginnings.map { $0.first ?? ended } ?? started
      add(.executor, started, begun)
      add(.run, begun, ended)
    } else {
      var cursor = started
      for attempt in state.attemptTimes {
        add(.retry, cursor, attempt.lowerBound)
        add(.run, attempt.lowerBound, min(attempt.upperBound, ended))
        cursor = attempt.upperBound
      }
    }
    return bars
  }
}
