import FlowEngine
import FlowModel

/// A run as rows of bars that show when each step waited and ran, with the critical path. The script of the page draws
/// the visible rows.
package struct PageTimeline {
  let title: String
  let course: RunCourse
  /// The reasons why steps did not run, by step.
  var reasons: [Int: String] = [:]
  /// The steps that succeeded, or whose failure the workflow allows.
  var excused: Set<Int> = []
  /// The steps that were running when flowrun ended before the run did.
  var interrupted: Set<Int> = []
  /// The slack of each step in nanoseconds. An inner nil means that any additional time is possible.
  var slack: [Int: Int?] = [:]
  /// The maximum number of rows, or nil for all. Steps on the critical path and the longest steps are kept.
  var shownRows: Int?
  /// The axis shared with other timelines, or nil for a separate axis.
  var axis: PageAxis?

  package init(title: String, run: ReportedRun) {
    self.init(title: title, course: run.course)
    (reasons, excused, interrupted) = (run.reasons, run.excused, run.interrupted)
  }

  init(title: String, course: RunCourse) { (self.title, self.course) = (title, course) }

  /// The label of a running step.
  static let inProgress = "in progress"
  /// The label of a step that was running when flowrun ended.
  static let interrupted = "was running when flowrun ended"

  private struct Bar {
    var kind: String
    var start: Int
    var end: Int
  }

  /// The maximum number of rows of each timeline if there are several. It limits the size of the page.
  private static let comparedRows = 2_000

  /// Returns several timelines, one below the other, with a common axis.
  static func html(_ timelines: [PageTimeline]) -> String {
    let axis = PageAxis(
      end: timelines.map(\.end).max() ?? 0, busy: timelines.flatMap(\.busy))
    return timelines.map { timeline in
      var timeline = timeline
      timeline.axis = axis
      timeline.shownRows = Self.comparedRows
      return timeline.html
    }.joined()
  }

  var html: String {
    """
    <figure class="timeline"><figcaption>\(PageText.escaped(caption))</figcaption>\
    <noscript><p>The timeline is drawn by the page's script.</p></noscript>\(PageText.json(value))</figure>
    """
  }

  private var caption: String {
    guard course.hasGate else { return title }
    guard let opened = course.openedAt else { return "\(title): the gate did not open" }
    let ready = course.readyAt.map { "ready at \(PageText.time($0)), " } ?? ""
    return "\(title): \(ready)the gate opened at \(PageText.time(opened))"
  }

  private var end: Int {
    max(1, course.steps.compactMap(\.endedAt).max() ?? 0, course.hasGate ? course.openedAt ?? 0 : 0)
  }

  private var busy: [Range<Int>] {
    course.steps.compactMap { step in
      guard let start = step.startedAt, let end = step.endedAt else { return nil }
      return max(0, start)..<max(0, start, end)
    }
  }

  /// The timeline as data for the script. Each row is an array:
  /// - the step's id, its outcome, and the reason why it did not run
  /// - its start and end in microseconds, and whether it is on the critical path
  /// - three numbers for each bar: kind, start and end
  /// - its slack (-1 for any, null if unknown), and its name if it has one
  package var value: Value {
    let criticalPath = CriticalPath(course)
    let onPath = Set(criticalPath.links.compactMap(\.step))
    let axis = axis ?? PageAxis(end: end, busy: busy)
    var kinds: [String] = []
    var numbers: [String: Int] = [:]
    var links: [Int: [PathSegment]] = [:]
    for link in criticalPath.links { if let step = link.step { links[step, default: []].append(link) } }
    let order = rowOrder
    let wanted = shownRows.map { $0 < order.count ? Set(longest(order, onPath).prefix($0)) : nil } ?? nil
    let rows = order.filter { wanted?.contains($0) ?? true }.map { step -> Value in
      var bars: [Value] = []
      for bar in self.bars(of: step, links[step] ?? []) where bar.end >= bar.start {
        let number = numbers[bar.kind] ?? kinds.count
        if number == kinds.count {
          numbers[bar.kind] = number
          kinds.append(bar.kind)
        }
        bars += [.integer(number), .integer(bar.start / 1_000), .integer(bar.end / 1_000)]
      }
      let state = course.steps[step]
      let word =
        state.outcome.map { excused.contains(step) && $0 != .success ? "\($0.word) (optional)" : $0.word }
        ?? (interrupted.contains(step) ? Self.interrupted : state.startedAt == nil ? nil : Self.inProgress)
      return .array(
        [
          .string(PageText.visible(course.shape.steps[step].id)), word.map { .string($0) } ?? .null,
          reasons[step].map { .string(PageText.visible($0)) } ?? .null, PageText.microseconds(state.startedAt),
          PageText.microseconds(state.endedAt), .integer(onPath.contains(step) ? 1 : 0), .array(bars),
          slack[step].map { $0.map { .integer($0 / 1_000) } ?? .integer(-1) } ?? .null,
        ] + (course.shape.steps[step].name.map { [.string(PageText.visible($0))] } ?? []))
    }
    let opened = course.hasGate ? course.openedAt : nil
    let ticks = axis.ticks(around: opened.map { [$0] } ?? [])
    return .object([
      "axis": .array(axis.points.map { .array([PageText.microseconds($0.time), .number($0.share)]) }),
      "breaks": .array(axis.breaks.map { .integer($0) }),
      "ticks": .array(ticks.map { .array([PageText.microseconds($0), .string(PageText.roundTime($0))]) }),
      "gate": PageText.microseconds(opened), "title": .string(PageText.visible(title)),
      "kinds": .array(kinds.map { .string($0) }), "rows": .array(rows),
      "left": .integer(order.count - rows.count),
    ])
  }

  /// The indices of the steps in the order of rows: by their start, or by their end if they did not run.
  var rowOrder: [Int] {
    course.steps.indices.map { ($0, course.steps[$0].startedAt ?? course.steps[$0].endedAt ?? Int.max) }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  private func longest(_ steps: [Int], _ onPath: Set<Int>) -> [Int] {
    func length(_ step: Int) -> Int { onPath.contains(step) ? .max : course.length(of: step) }
    return steps.sorted { (length($0), $1) > (length($1), $0) }
  }

  private func bars(of step: Int, _ links: [PathSegment]) -> [Bar] {
    let state = course.steps[step]
    guard let started = state.startedAt, let ended = state.endedAt else { return [] }
    var bars: [Bar] = []
    let ending =
      switch state.outcome {
      case .failure, .timedOut: "failed"
      case .cancelled: "cancelled"
      case nil: interrupted.contains(step) ? "cut off" : "running"
      case .success, .skipped: "run"
      }
    func add(_ kind: PathCause, _ start: Int, _ end: Int, _ word: String? = nil) {
      guard end > start || kind == .run else { return }
      let name = kind == .stepMinimum ? "minimum" : kind == .run ? word ?? ending : kind.rawValue
      bars.append(Bar(kind: name, start: max(0, start), end: max(0, end)))
    }
    if let ready = state.readyAt, ready < started {
      let shape = course.shape.steps[step]
      let isLimited = course.shape.concurrency != nil || course.shape.widths[shape.queue] != nil
      add(isLimited ? .queue : shape.takesResources ? .resources : .thread, ready, started)
    }
    // Segments of the critical path are more precise than the recorded times of the step, except for failed attempts.
    let own = links.filter { $0.cause != .event && $0.cause != .gate && $0.start >= started }
    if state.attemptTimes.count < 2, !own.isEmpty, own.map(\.end).max() == ended {
      for link in own { add(link.cause, link.start, link.end) }
    } else if state.attemptTimes.isEmpty {
      let begun = state.beginnings.map { $0.first ?? ended } ?? started
      add(.executor, started, begun)
      add(.run, begun, ended)
    } else {
      var cursor = started
      for (number, attempt) in state.attemptTimes.enumerated() {
        let isLast = number == state.attemptTimes.count - 1
        add(.retry, cursor, attempt.lowerBound)
        add(.run, attempt.lowerBound, min(attempt.upperBound, ended), isLast ? nil : "failed")
        cursor = attempt.upperBound
      }
      add(.stepMinimum, cursor, ended)
    }
    return bars
  }
}
