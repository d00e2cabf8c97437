import FlowEngine
import FlowModel

/// A run as described by its report, which is JSON or comes from a run store.
///
/// A report of an older flowrun, without a `schema`, contains neither dependencies of steps nor posters of events. Its
/// critical path is not computed but read from the report.
package struct ReportedRun: Sendable {
  package var workflow: String
  package var id: String
  /// The reason for the launch of the app, or nil if the run was not activated.
  package var launchReason: String?
  /// The first entry into the app, or nil if the report does not contain it.
  package var firstEntry: String?
  /// True if the run was prewarmed, so that some steps ran before its activation.
  package var isPrewarmed = false
  /// True if the run was continued in another process.
  package var isResumed = false
  package var hasEnded = true
  /// The conclusion or state, or nil if the report does not contain it.
  package var conclusion: String?
  /// The path of the workflow file, or nil if the report does not contain it.
  package var file: String?
  /// The start in ISO 8601, or nil if the report does not contain it.
  package var startedAt: String?
  /// The inputs of the run.
  package var inputs: [(name: String, value: String)] = []
  /// The outputs of the workflow.
  package var outputs: [(name: String, value: String)] = []
  /// Warnings, which are not failures.
  package var warnings: [String] = []
  /// The accounting data of a cluster about jobs, each of which ran one attempt.
  package var jobs: [ReportedJob] = []
  /// The reason why accounting data is missing, or nil if it is complete or not needed.
  package var accountingProblem: String?
  /// The failures in file order. Failures of items are listed with their step.
  package var failures: [ReportedFailure] = []
  /// The duration in nanoseconds since activation.
  package var nanoseconds: Int
  /// The course of the run.
  package var course: RunCourse
  /// The durations of items in nanoseconds, by step.
  package var items: [Int: [Int]] = [:]
  /// The items of each step with `foreach`, by step.
  package var itemStates: [Int: [ReportedItem]] = [:]
  /// The reasons why steps did not run, by step.
  package var reasons: [Int: String] = [:]
  /// The steps whose failure does not cause the run to fail.
  package var excused: Set<Int> = []
  /// All posts of events in order. The poster is nil if the event came from outside or the poster was not recorded.
  package var posts: [(event: String, at: Int, poster: Int?)] = []
  /// The steps that were running when flowrun ended before the run did.
  package var interrupted: Set<Int> = []
  /// The critical path in the report of an older flowrun.
  package var path: [PathSegment] = []

  /// The error for a value that is not a report.
  package struct ReportProblem: Error, Sendable, CustomStringConvertible {
    package let description: String
  }

  /// The newest version of reports that can be read.
  package static let newestSchema = RunReport.newestSchema

  /// Creates a report from a simulated run.
  package init(_ course: RunCourse, workflow: String) {
    self.workflow = workflow
    id = "played"
    nanoseconds = course.steps.compactMap(\.endedAt).max() ?? 0
    self.course = course
    for (name, event) in course.events { posts.append((name, event.at, event.poster)) }
  }

  /// Reads a report.
  package init(_ report: Value) throws(ReportProblem) {
    guard let object = report.objectValue, let steps = object["steps"]?.objectValue,
      let workflow = object["workflow"]?.stringValue
    else {
      throw ReportProblem(description: "it is not a report of a run: 'workflow' or 'steps' is missing")
    }
    if object["seed"] != nil { throw ReportProblem(description: "it is a forecast, not a report of a run") }
    let schema = object["schema"]?.integerValue ?? 1
    guard (1...Self.newestSchema).contains(schema) else {
      throw ReportProblem(
        description: "it is a report of schema \(schema), and this flowrun knows those up to \(Self.newestSchema)")
    }
    self.workflow = workflow
    id = object["runId"]?.stringValue ?? ""
    launchReason = object["launchReason"]?.stringValue
    nanoseconds = Self.nanoseconds(object["durationMilliseconds"]) ?? 0
    isResumed = (object["epochs"]?.arrayValue?.count ?? 1) > 1
    hasEnded = object["conclusion"]?.stringValue != nil && object["conclusion"]?.stringValue != "cancelled"
    var shape = CourseShape()
    shape.knowsDependencies = schema > 1
    for (id, _) in steps { shape.steps.append(CourseShape.Step(id: id)) }
    for (name, width) in object["queues"]?.objectValue ?? [:] {
      if let width = width.integerValue, width > 0 { shape.widths[name] = width }
    }
    shape.concurrency = object["concurrency"]?.integerValue
    shape.isDurable = object["durable"]?.booleanValue ?? false
    course = RunCourse(shape)
    readHead(object)
    let indices = Dictionary(uniqueKeysWithValues: steps.keys.enumerated().map { ($1, $0) })
    for (index, member) in steps.enumerated() { read(member.value, index, indices) }
    readGate(object["gate"]?.objectValue ?? [:])
    for event in object["events"]?.arrayValue ?? [] {
      guard let event = event.objectValue, let name = event["name"]?.stringValue,
        let at = Self.nanoseconds(event["at"])
      else { continue }
      posts.append((name, at, event["postedBy"]?.stringValue.flatMap { indices[$0] }))
      course.events[name] = RunCourse.Event(at: at, poster: posts[posts.count - 1].poster)
    }
    for link in object["criticalPath"]?.arrayValue ?? [] {
      guard let link = link.objectValue, let start = Self.nanoseconds(link["start"]),
        let end = Self.nanoseconds(link["end"])
      else { continue }
      path.append(
        PathSegment(
          step: link["step"]?.stringValue.flatMap { indices[$0] }, cause: .run, start: start, end: max(start, end)))
    }
  }

  private mutating func readHead(_ object: ValueObject) {
    func texts(_ name: String) -> [(name: String, value: String)] {
      (object[name]?.objectValue ?? [:]).map { ($0, $1.stringValue ?? JSONText.write($1)) }
    }
    let conclusion = object["conclusion"]?.stringValue
    self.conclusion = conclusion ?? object["state"]?.stringValue
    file = object["file"]?.stringValue
    firstEntry = object["entries"]?.arrayValue?.first?.objectValue?["kind"]?.stringValue
    isPrewarmed = object["prewarmMilliseconds"]?.numberValue ?? 0 > 0
    startedAt = object["startedAt"]?.stringValue
    (inputs, outputs) = (texts("inputs"), texts("outputs"))
    jobs = object["jobs"]?.arrayValue?.compactMap { ReportedJob($0) } ?? []
    accountingProblem = object["accounting"]?.stringValue
    warnings = object["warnings"]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  private mutating func readFailures(_ step: ValueObject, _ index: Int) {
    let id = course.shape.steps[index].id
    let items = (step["items"]?.arrayValue ?? []).compactMap { item -> ReportedFailure? in
      guard let item = item.objectValue, let number = item["index"]?.integerValue else { return nil }
      let key = item["key"]?.stringValue.map { " \($0)" } ?? ""
      var failure = ReportedFailure(item, name: "\(id)[\(number)]\(key)", step: index, item: number)
      if key.isEmpty { failure?.value = item["name"]?.stringValue.map { .string($0) } }
      return failure
    }
    // The failures of items are more specific than the failure of their step.
    guard items.isEmpty else { return failures += items }
    if let failure = ReportedFailure(step, name: id, step: index) { failures.append(failure) }
  }

  private mutating func readGate(_ gate: ValueObject) {
    course.outcome = gate["outcome"]?.stringValue.flatMap { word in GateOutcome.allCases.first { $0.word == word } }
    course.openedAt = Self.nanoseconds(gate["openedAt"])
    course.readyAt = Self.nanoseconds(gate["readyAt"])
    course.minimum = Self.nanoseconds(gate["min"]) ?? 0
    course.maximum = Self.nanoseconds(gate["max"])
  }

  private mutating func read(_ value: Value, _ index: Int, _ indices: [String: Int]) {
    guard let step = value.objectValue else { return }
    course.shape.steps[index].name = step["name"]?.stringValue.flatMap {
      $0 == course.shape.steps[index].id ? nil : $0
    }
    course.shape.steps[index].queue = step["queue"]?.stringValue ?? ""
    course.shape.steps[index].takesResources = step["resources"]?.objectValue != nil
    course.shape.steps[index].isBlocking = step["blocking"]?.booleanValue ?? false
    course.shape.steps[index].isDeferred = step["deferred"]?.booleanValue ?? false
    course.shape.steps[index].needs =
      step["needs"]?.arrayValue?.compactMap { $0.stringValue.flatMap { indices[$0] } } ?? []
    course.shape.steps[index].after = step["after"]?.arrayValue?.compactMap(\.stringValue) ?? []
    course.steps[index].readyAt = Self.nanoseconds(step["readyAt"])
    course.steps[index].startedAt = Self.nanoseconds(step["startedAt"])
    course.steps[index].endedAt = Self.nanoseconds(step["endedAt"])
    course.steps[index].outcome = step["outcome"]?.stringValue.flatMap { word in
      Outcome.allCases.first { $0.word == word }
    }
    reasons[index] = step["reason"]?.stringValue
    if step["conclusion"]?.stringValue == Outcome.success.word { excused.insert(index) }
    readFailures(step, index)
    course.steps[index].attemptTimes = Self.attemptTimes(
      step["attemptTimes"]?.arrayValue ?? [], from: course.steps[index].startedAt, to: course.steps[index].endedAt)
    course.steps[index].beginnings = Self.beginnings(of: step)
    guard let items = step["items"]?.arrayValue else { return }
    itemStates[index] = items.compactMap { ReportedItem($0) }
    course.steps[index].items = items.compactMap { item in
      guard let item = item.objectValue, let start = Self.nanoseconds(item["startedAt"]),
        let end = Self.nanoseconds(item["endedAt"])
      else { return nil }
      var read = RunCourse.Item(time: start..<max(start, end))
      read.attemptTimes = Self.attemptTimes(item["attemptTimes"]?.arrayValue ?? [], from: start, to: end)
      read.beginnings = Self.beginnings(of: item)
      return read
    }
    self.items[index] = course.steps[index].items.map(\.time.count)
  }

  /// Reads the times of attempts. If the start of an attempt was not recorded, it is assumed to equal the end of the
  /// previous attempt, so that it includes the pause.
  static func attemptTimes(_ attemptTimes: [Value], from start: Int?, to end: Int?) -> [Range<Int>] {
    var cursor = start
    var read: [Range<Int>] = []
    for attempt in attemptTimes {
      guard let attempt = attempt.objectValue, let start = nanoseconds(attempt["startedAt"]) ?? cursor,
        let end = nanoseconds(attempt["endedAt"]) ?? end, end >= start
      else { continue }
      read.append(start..<end)
      cursor = end
    }
    return read
  }

  /// Returns the instants at which executors started the bodies, or nil if the step did not run on an executor.
  private static func beginnings(of body: ValueObject) -> [Int]? {
    guard let first = body["begunAt"] else { return nil }
    let others = (body["attemptTimes"]?.arrayValue ?? []).map { $0.objectValue?["begunAt"] }
    return ([first] + others).compactMap { nanoseconds($0) }
  }

  /// Converts milliseconds to nanoseconds. Returns nil if the value is not a number or out of range.
  static func nanoseconds(_ value: Value?) -> Int? {
    guard let milliseconds = value?.numberValue, milliseconds.isFinite,
      abs(milliseconds) <= Double(DurationText.longest.nanoseconds) / 1_000_000
    else { return nil }
    return Int((milliseconds * 1_000_000).rounded())
  }

  /// The segments of the critical path to the gate.
  package var criticalPath: [PathSegment] { course.shape.knowsDependencies ? CriticalPath(course).links : path }
}

extension ReportedRun {
  /// Marks steps of a running run as started if they have not ended and do not wait for anything. Needed because only
  /// durable runs record the starts of attempts. `now` is in nanoseconds after activation.
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

  /// Marks the steps that were running when flowrun ended as interrupted. `starts` are the starts of these steps, and
  /// `last` is the last known instant.
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

  /// Sets unknown posters of events: the poster is the only step that declares the event and was running.
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
