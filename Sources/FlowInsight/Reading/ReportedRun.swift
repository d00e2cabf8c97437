import FlowEngine
import FlowModel

/// A run as described by its report: as JSON, or as recorded in a store.
///
/// Reports of an older flowrun, without a `schema`, say neither what steps came after nor who posted events: of these
/// the critical path to the gate is what they call the critical path.
package struct ReportedRun: Sendable {
  /// The workflow's name.
  package var workflow: String
  /// The run's id.
  package var id: String
  /// Why the app was launched; nil: it was not activated.
  package var launchReason: String?
  /// The first entry into the app, in the report's word; nil if the report has none.
  package var firstEntry: String?
  /// Whether a part of the run had been done before its activation.
  package var isPrewarmed = false
  /// Whether the run continued in another process than it began in.
  package var isResumed = false
  /// Whether it ended.
  package var hasEnded = true
  /// Its conclusion or state, in the report's word; nil: the report does not say.
  package var conclusion: String?
  /// The workflow file; nil: the report does not say.
  package var file: String?
  /// When it started, in ISO 8601; nil: the report does not say.
  package var startedAt: String?
  /// The inputs it was given.
  package var inputs: [(name: String, value: String)] = []
  /// What its workflow returned.
  package var outputs: [(name: String, value: String)] = []
  /// What went wrong without being a failure.
  package var warnings: [String] = []
  /// What a cluster's accounting says of the jobs that attempts had for themselves.
  package var jobs: [ReportedJob] = []
  /// Why the accounting does not say all of it; nil: it does, or there were no such jobs.
  package var accountingProblem: String?
  /// What failed, in the order of the file; items behind their step.
  package var failures: [ReportedFailure] = []
  /// How long it took from activation.
  package var nanoseconds: Int
  /// How it went.
  package var course: RunCourse
  /// How many items steps had that ran for several, and how long each took, by step.
  package var items: [Int: [Int]] = [:]
  /// The items of steps that run for several, by step.
  package var itemStates: [Int: [ReportedItem]] = [:]
  /// Why steps did not run, by step.
  package var reasons: [Int: String] = [:]
  /// Steps whose failure is none of the run's.
  package var excused: Set<Int> = []
  /// Every event, in order; those of no known poster came from outside, or are not recorded.
  package var posts: [(event: String, at: Int, poster: Int?)] = []
  /// Steps that were running when flowrun ended before the run did.
  package var interrupted: Set<Int> = []
  /// What an older report calls the critical path.
  package var path: [PathSegment] = []

  /// Why a text is not a report.
  package struct ReportProblem: Error, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    package let description: String
  }

  /// The newest schema that is understood.
  package static let newestSchema = RunReport.newestSchema

  /// A run that was played.
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
    // What the step says of its items, their own failures say better.
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

  /// An attempt without a recorded start is assumed to have started when the previous one ended: its pause counts
  /// with it.
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

  /// When bodies began on executors; nil: they ran where the run was.
  private static func beginnings(of body: ValueObject) -> [Int]? {
    guard let first = body["begunAt"] else { return nil }
    let others = (body["attemptTimes"]?.arrayValue ?? []).map { $0.objectValue?["begunAt"] }
    return ([first] + others).compactMap { nanoseconds($0) }
  }

  /// A time in milliseconds as nanoseconds; nil: there is none, or it is not a time that can be.
  static func nanoseconds(_ value: Value?) -> Int? {
    guard let milliseconds = value?.numberValue, milliseconds.isFinite,
      abs(milliseconds) <= Double(DurationText.longest.nanoseconds) / 1_000_000
    else { return nil }
    return Int((milliseconds * 1_000_000).rounded())
  }

  /// The critical path to the gate.
  package var criticalPath: [PathSegment] { course.shape.knowsDependencies ? CriticalPath(course).links : path }
}

extension ReportedRun {
  /// Says of steps of a run in progress that have not ended and wait for nothing that they run until `now`, in nanoseconds: a
  /// journal has the starts of attempts only where the run is durable.
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

  /// Notes the steps that were running when flowrun ended, by when they started, and the last instant that is known.
  package mutating func noteInterrupted(_ starts: [Int: Int], until last: Int) {
    for (index, start) in starts where course.steps[index].outcome == nil {
      course.steps[index].startedAt = max(0, min(start, course.steps[index].startedAt ?? start))
      course.steps[index].endedAt = max(start, last)
      interrupted.insert(index)
    }
    nanoseconds = max(nanoseconds, last)
  }

  /// Notes when steps started that are running.
  package mutating func noteStarts(_ starts: [Int: Int]) {
    for (index, start) in starts where course.steps[index].outcome == nil {
      course.steps[index].startedAt = max(0, min(start, course.steps[index].startedAt ?? start))
    }
  }

  /// Says of events whose poster is not known that the step posted them that may have: the only one that declares the event and
  /// was running.
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
