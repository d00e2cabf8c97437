import FlowEngine
import FlowModel

/// A launch as its report tells it: a report of a run as JSON, or what a store remembers of one.
///
/// Reports of an older flowrun, without a `schema`, say neither what steps came after nor who posted events: of these the
/// way to the gate is what they call the critical path.
package struct RecordedLaunch: Sendable {
  /// The workflow's name.
  package var workflow: String
  /// The run's id.
  package var run: String
  /// Why the app was launched; nil: it was not activated.
  package var launchReason: String?
  /// Whether the run went on in another process than it began in.
  package var isResumed = false
  /// Whether it came to its end.
  package var hasEnded = true
  /// How long it took from activation.
  package var nanoseconds: Int
  /// How it went.
  package var course: LaunchCourse
  /// How many items steps had that ran for several, and how long each took, by step.
  package var items: [Int: [Int]] = [:]
  /// Why steps did not run, by step.
  package var reasons: [Int: String] = [:]
  /// Steps whose failure is none of the run's.
  package var excused: Set<Int> = []
  /// Every event, in order; those of no known poster came from outside, or nobody said.
  package var posts: [(event: String, at: Int, poster: Int?)] = []
  /// What an older report calls the critical path.
  package var path: [ChainLink] = []

  /// Why a text is no report.
  package struct Problem: Error, Sendable, CustomStringConvertible {
    /// What is wrong with it.
    package let description: String
  }

  /// The newest schema that is understood.
  package static let newestSchema = RunReport.newestSchema

  /// A launch that was played.
  package init(_ course: LaunchCourse, workflow: String) {
    self.workflow = workflow
    run = "played"
    nanoseconds = course.steps.compactMap(\.endedAt).max() ?? 0
    self.course = course
    for (name, event) in course.events { posts.append((name, event.at, event.poster)) }
  }

  /// Reads a report.
  package init(_ report: Value) throws(Problem) {
    guard let object = report.objectValue, let steps = object["steps"]?.objectValue,
      let workflow = object["workflow"]?.stringValue
    else {
      throw Problem(description: "it is no report of a run: 'workflow' or 'steps' is missing")
    }
    if object["seed"] != nil { throw Problem(description: "it is a forecast, not a report of a run") }
    let schema = object["schema"]?.integerValue ?? 1
    guard (1...Self.newestSchema).contains(schema) else {
      throw Problem(
        description: "it is a report of schema \(schema), and this flowrun knows those up to \(Self.newestSchema)")
    }
    self.workflow = workflow
    run = object["runId"]?.stringValue ?? ""
    launchReason = object["launchReason"]?.stringValue
    nanoseconds = Self.nanoseconds(object["durationMilliseconds"]) ?? 0
    isResumed = (object["epochs"]?.arrayValue?.count ?? 1) > 1
    hasEnded = object["conclusion"]?.stringValue != nil && object["conclusion"]?.stringValue != "cancelled"
    var shape = CourseShape()
    shape.knowsNeeds = schema > 1
    for (id, _) in steps { shape.steps.append(CourseShape.Step(id: id)) }
    for (name, width) in object["queues"]?.objectValue ?? [:] {
      if let width = width.integerValue, width > 0 { shape.widths[name] = width }
    }
    shape.concurrency = object["concurrency"]?.integerValue
    shape.isDurable = object["durable"]?.booleanValue ?? false
    course = LaunchCourse(shape)
    let indices = Dictionary(uniqueKeysWithValues: steps.keys.enumerated().map { ($1, $0) })
    for (index, member) in steps.enumerated() { read(member.value, index, indices) }
    readGate(object["gate"]?.objectValue ?? [:])
    for event in object["events"]?.arrayValue ?? [] {
      guard let event = event.objectValue, let name = event["name"]?.stringValue,
        let at = Self.nanoseconds(event["at"])
      else { continue }
      posts.append((name, at, event["postedBy"]?.stringValue.flatMap { indices[$0] }))
      course.events[name] = LaunchCourse.Event(at: at, poster: posts[posts.count - 1].poster)
    }
    for link in object["criticalPath"]?.arrayValue ?? [] {
      guard let link = link.objectValue, let start = Self.nanoseconds(link["start"]),
        let end = Self.nanoseconds(link["end"])
      else { continue }
      path.append(
        ChainLink(
          step: link["step"]?.stringValue.flatMap { indices[$0] }, cause: .run, start: start, end: max(start, end)))
    }
  }

  private mutating func readGate(_ gate: ValueObject) {
    course.outcome = gate["outcome"]?.stringValue.flatMap { word in GateOutcome.allCases.first { $0.word == word } }
    course.openedAt = Self.nanoseconds(gate["openedAt"])
    course.readyAt = Self.nanoseconds(gate["readyAt"])
    course.floor = Self.nanoseconds(gate["min"]) ?? 0
    course.ceiling = Self.nanoseconds(gate["max"])
  }

  private mutating func read(_ value: Value, _ index: Int, _ indices: [String: Int]) {
    guard let step = value.objectValue else { return }
    course.shape.steps[index].queue = step["queue"]?.stringValue ?? ""
    course.shape.steps[index].takesShare = step["resources"]?.objectValue != nil
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
    course.steps[index].tries = Self.tries(
      step["tries"]?.arrayValue ?? [], from: course.steps[index].startedAt, to: course.steps[index].endedAt)
    course.steps[index].beginnings = Self.beginnings(of: step)
    guard let items = step["items"]?.arrayValue else { return }
    course.steps[index].items = items.compactMap { item in
      guard let item = item.objectValue, let start = Self.nanoseconds(item["startedAt"]),
        let end = Self.nanoseconds(item["endedAt"])
      else { return nil }
      var read = LaunchCourse.Item(time: start..<max(start, end))
      read.tries = Self.tries(item["tries"]?.arrayValue ?? [], from: start, to: end)
      read.beginnings = Self.beginnings(of: item)
      return read
    }
    self.items[index] = course.steps[index].items.map(\.time.count)
  }

  /// A try whose beginning nobody saw is thought to have begun when the one before it was over: its pause counts with it.
  private static func tries(_ tries: [Value], from start: Int?, to end: Int?) -> [Range<Int>] {
    var cursor = start
    var read: [Range<Int>] = []
    for attempt in tries {
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
    let others = (body["tries"]?.arrayValue ?? []).map { $0.objectValue?["begunAt"] }
    return ([first] + others).compactMap { nanoseconds($0) }
  }

  /// A time in milliseconds as nanoseconds; nil: there is none, or it is no time that can be.
  static func nanoseconds(_ value: Value?) -> Int? {
    guard let milliseconds = value?.numberValue, milliseconds.isFinite,
      abs(milliseconds) <= Double(DurationText.longest.nanoseconds) / 1_000_000
    else { return nil }
    return Int((milliseconds * 1_000_000).rounded())
  }

  /// The way to the gate.
  package var chain: [ChainLink] { course.shape.knowsNeeds ? CriticalChain(course).links : path }
}

extension RecordedLaunch {
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
