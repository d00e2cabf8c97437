import FlowEngine
import FlowModel

/// A run as described by its report.
///
/// A report of an older flowrun, without a `schema`, contains neither the dependencies of steps nor the steps that
/// posted events. Its critical path is not computed but read from the report.
package struct ReportedRun: Sendable {
  package var workflow: String
  package var id: String
  /// The reason for the launch of the app, or nil if the run was not activated.
  package var launchReason: String?
  /// The first entry into the app, such as `cold`, or nil if the report does not contain it.
  package var firstEntry: String?
  /// True if the run was prewarmed, so that some steps may have run before activation.
  package var isPrewarmed = false
  /// True if the run was continued in another process.
  package var isResumed = false
  package var hasEnded = true
  /// The conclusion, or the state if the run has not ended. Nil if the report does not contain it.
  package var conclusion: String?
  /// The path of the workflow file, or nil if the report does not contain it.
  package var file: String?
  /// The start in ISO 8601, or nil if the report does not contain it.
  package var startedAt: String?
  package var inputs: [(name: String, value: String)] = []
  package var outputs: [(name: String, value: String)] = []
  /// The warnings of the run. They do not affect its conclusion.
  package var warnings: [String] = []
  /// The jobs that ran attempts on a cluster, with the cluster's accounting data.
  package var jobs: [ReportedJob] = []
  /// The reason why accounting data is missing, or nil if it is complete or not needed.
  package var accountingProblem: String?
  /// The failures in file order. Failures of items come in place of the failure of their step.
  package var failures: [ReportedFailure] = []
  /// The duration since activation, in nanoseconds.
  package var nanoseconds: Int
  /// The times and outcomes of steps, events and the gate.
  package var course: RunCourse
  /// The durations of items in nanoseconds, keyed by the index of the step.
  package var items: [Int: [Int]] = [:]
  /// The items of each step with `foreach`, keyed by the index of the step.
  package var itemStates: [Int: [ReportedItem]] = [:]
  /// The reasons why steps did not run, keyed by the index of the step.
  package var reasons: [Int: String] = [:]
  /// The steps with the conclusion `success`: they succeeded, or their failure does not make the run fail.
  package var excused: Set<Int> = []
  /// All posts of events in order. The poster is nil if the event came from outside the run or the poster was not
  /// recorded.
  package var posts: [(event: String, at: Int, poster: Int?)] = []
  /// The steps that were running when flowrun ended before the run did.
  package var interrupted: Set<Int> = []
  /// The critical path, if the report of an older flowrun contains it. It is used if dependencies are unknown.
  package var path: [PathSegment] = []

  /// Describes why a value is not a report of a run.
  package struct ReportProblem: Error, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The newest version of the report format that can be read.
  package static let newestSchema = RunReport.newestSchema

  /// Creates a report from a simulated run.
  package init(_ course: RunCourse, workflow: String) {
    self.workflow = workflow
    id = "played"
    nanoseconds = course.steps.compactMap(\.endedAt).max() ?? 0
    self.course = course
    for (name, event) in course.events { posts.append((name, event.at, event.poster)) }
  }

  /// Reads a report. Members that other versions of flowrun do not write may be missing.
  package init(_ report: Value) throws(ReportProblem) {
    guard let object = report.objectValue, object["steps"]?.objectValue != nil, object["workflow"]?.stringValue != nil
    else {
      throw ReportProblem(description: "it is not a report of a run: 'workflow' or 'steps' is missing")
    }
    if object["seed"] != nil { throw ReportProblem(description: "it is a forecast, not a report of a run") }
    let schema = object["schema"]?.integerValue ?? 1
    guard (1...Self.newestSchema).contains(schema) else {
      throw ReportProblem(
        description: "it is a report of schema \(schema), and this flowrun knows those up to \(Self.newestSchema)")
    }
    do {
      self.init(try RunReport(object, allowsMissing: true))
    } catch DecodingError.dataCorrupted(let problem) {
      throw ReportProblem(description: "it is not a report of a run: \(problem.debugDescription)")
    } catch {
      throw ReportProblem(description: "it is not a report of a run: \(error)")
    }
  }

  /// Creates a run from a report, without the values of secrets.
  package init(_ report: RunReport) {
    let report = report.masked
    let steps = report.steps
    workflow = report.workflow
    id = report.runID
    launchReason = report.launchReason?.rawValue
    firstEntry = report.entries.first?.kind.rawValue
    isPrewarmed = report.prewarmMilliseconds > 0
    isResumed = report.record?.epochs.count ?? 1 > 1
    let isConcluded = report.record?.hasConclusion ?? true
    hasEnded = isConcluded && report.conclusion != .cancelled
    conclusion = isConcluded ? report.conclusion.rawValue : report.record?.state.rawValue
    file = report.origin.file
    startedAt = report.origin.startedAt
    func texts(_ object: ValueObject) -> [(name: String, value: String)] {
      object.map { ($0, $1.stringValue ?? JSONText.write($1)) }
    }
    (inputs, outputs) = (texts(report.origin.inputs), texts(report.outputs))
    warnings = report.warnings
    jobs = report.origin.jobs.compactMap { ReportedJob($0) }
    accountingProblem = report.origin.accountingProblem
    nanoseconds = Self.nanoseconds(report.durationMilliseconds) ?? 0
    let indices = Dictionary(steps.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
    course = RunCourse(CourseShape(report, steps, indices))
    for (index, step) in steps.enumerated() { add(step, index, report) }
    course.outcome = report.gate.outcome
    course.openedAt = Self.nanoseconds(report.gate.openedAt)
    course.readyAt = Self.nanoseconds(report.gate.readyAt)
    course.minimum = Self.nanoseconds(report.gate.min) ?? 0
    course.maximum = Self.nanoseconds(report.gate.max)
    for event in report.events {
      guard let at = Self.nanoseconds(event.at) else { continue }
      posts.append((event.name, at, event.postedBy.flatMap { indices[$0] }))
      course.events[event.name] = RunCourse.Event(at: at, poster: posts[posts.count - 1].poster)
    }
    for link in report.criticalPath {
      guard let start = Self.nanoseconds(link.start), let end = Self.nanoseconds(link.end) else { continue }
      path.append(PathSegment(step: indices[link.step], cause: .run, start: start, end: max(start, end)))
    }
  }

  private mutating func add(_ step: RunReport.Step, _ index: Int, _ report: RunReport) {
    course.steps[index].readyAt = Self.nanoseconds(step.readyAt)
    course.steps[index].startedAt = Self.nanoseconds(step.startedAt)
    course.steps[index].endedAt = Self.nanoseconds(step.endedAt)
    course.steps[index].attemptTimes = Self.attemptTimes(
      step.attemptTimes, from: course.steps[index].startedAt, to: course.steps[index].endedAt)
    course.steps[index].beginnings = Self.beginnings(step.executor, step.attemptTimes)
    reasons[index] = step.reason?.word
    if report.hasFinished(step) {
      course.steps[index].outcome = step.outcome
      if step.conclusion == .success { excused.insert(index) }
      addFailures(of: step, index, report.origin.lastLines[step.id] ?? [])
    }
    guard let items = step.items else { return }
    itemStates[index] = items.map { ReportedItem($0) }
    course.steps[index].items = items.compactMap { item in
      guard let start = Self.nanoseconds(item.startedAt), let end = Self.nanoseconds(item.endedAt) else { return nil }
      var read = RunCourse.Item(time: start..<max(start, end))
      read.attemptTimes = Self.attemptTimes(item.attemptTimes, from: start, to: end)
      read.beginnings = Self.beginnings(item.executor, item.attemptTimes)
      return read
    }
    self.items[index] = course.steps[index].items.map(\.time.count)
  }

  private mutating func addFailures(of step: RunReport.Step, _ index: Int, _ lines: [String]) {
    let ofItems = (step.items ?? []).compactMap { ReportedFailure($0, of: step.id.text, index) }
    // The failures of items are more specific, so they replace the failure of their step.
    guard ofItems.isEmpty else { return failures += ofItems }
    if let failure = ReportedFailure(step, index, lines) { failures.append(failure) }
  }

  /// Returns the times of attempts. An attempt whose start was not recorded is assumed to start at the end of the
  /// previous attempt, so that it includes the pause.
  static func attemptTimes(_ attempts: [RunReport.Attempt], from start: Int?, to end: Int?) -> [Range<Int>] {
    var cursor = start
    var read: [Range<Int>] = []
    for attempt in attempts {
      guard let start = nanoseconds(attempt.startedAt) ?? cursor, let end = nanoseconds(attempt.endedAt) ?? end,
        end >= start
      else { continue }
      read.append(start..<end)
      cursor = end
    }
    return read
  }

  /// Returns the instants at which executors started the attempts' bodies, or nil if the step did not run on an
  /// executor.
  private static func beginnings(_ first: RunReport.Beginning?, _ attempts: [RunReport.Attempt]) -> [Int]? {
    first.map { first in ([first.at] + attempts.map(\.begunAt)).compactMap { nanoseconds($0) } }
  }

  /// Converts milliseconds to nanoseconds. Returns nil if the number is missing or out of range.
  static func nanoseconds(_ milliseconds: Double?) -> Int? {
    guard let milliseconds, milliseconds.isFinite,
      abs(milliseconds) <= Double(DurationText.longest.nanoseconds) / 1_000_000
    else { return nil }
    return Int((milliseconds * 1_000_000).rounded())
  }

  /// The segments of the critical path to the gate, computed from dependencies or read from the report of an older
  /// flowrun.
  package var criticalPath: [PathSegment] { course.shape.knowsDependencies ? CriticalPath(course).links : path }
}

extension ReportedRun {
  /// Infers which steps of an unfinished run are running: those that wait for nothing and have not ended. The journal
  /// alone does not suffice, because only durable runs record the starts of attempts. `now` is in nanoseconds after
  /// activation.
  package mutating func inferRunning(until now: Int) {
    nanoseconds = max(nanoseconds, now)
    let steps = course.steps
    for index in steps.indices where steps[index].outcome == nil {
      let shape = course.shape.steps[index]
      let needs = shape.needs.map { steps[$0].outcome == nil ? nil : steps[$0].endedAt }
      let events = shape.after.map { course.events[$0]?.at }
      guard !needs.contains(nil), !events.contains(nil), !shape.isDeferred || course.openedAt != nil else { continue }
      let gate = shape.isDeferred ? course.openedAt ?? 0 : 0
      let start = steps[index].startedAt ?? (needs + events).reduce(gate) { max($0, $1 ?? 0) }
      course.steps[index].startedAt = min(start, now)
      course.steps[index].endedAt = max(start, now)
    }
  }

  /// Marks the steps that were running when flowrun ended as interrupted. `starts` contains their starts, and `last` is
  /// the last instant at which the run was certainly in progress.
  package mutating func noteInterrupted(_ starts: [Int: Int], until last: Int) {
    for (index, start) in starts where course.steps[index].outcome == nil {
      course.steps[index].startedAt = max(0, min(start, course.steps[index].startedAt ?? start))
      course.steps[index].endedAt = max(start, last)
      interrupted.insert(index)
    }
    nanoseconds = max(nanoseconds, last)
  }

  package mutating func noteStarts(_ starts: [Int: Int]) {
    for (index, start) in starts where course.steps[index].outcome == nil {
      course.steps[index].startedAt = max(0, min(start, course.steps[index].startedAt ?? start))
    }
  }

  /// Infers which steps posted events, if the report does not contain that. If exactly one step that declares an event
  /// was running at the time of a post, that step is recorded as its poster.
  package mutating func inferPosters(_ declared: (Int) -> [String]) {
    var posters: [String: [Int]] = [:]
    for index in course.steps.indices where course.steps[index].startedAt != nil {
      for event in declared(index) { posters[event, default: []].append(index) }
    }
    for number in posts.indices where posts[number].poster == nil {
      let post = posts[number]
      let able = (posters[post.event] ?? []).filter { index in
        let step = course.steps[index]
        return step.startedAt.map { $0 <= post.at } ?? false && step.endedAt.map { $0 >= post.at } ?? true
      }
      guard able.count == 1 else { continue }
      posts[number].poster = able[0]
      if course.events[post.event]?.at == post.at { course.events[post.event]?.poster = able[0] }
    }
  }
}
