/// The parts of a run's result that the contract determines. Times are nanoseconds from activation, or nil if something
/// did not happen. Oracle and engine each produce a record, and tests compare the two field by field.
struct RunRecord: Equatable {
  /// `success`, `partial`, `failure`, `cancelled`, or nil if the run never ends.
  var conclusion: String?
  var endedAt: Int?
  var gate = GateRecord()
  var steps: [StepRecord] = []
  /// The time of each event's first post, by the event's name.
  var events: [String: Int] = [:]
  /// The times of all posts of each repeating event, by the event's name.
  var posts: [String: [Int]] = [:]
  /// The contradictions found in the engine's plan during the run.
  var contradictions: [String] = []

  struct GateRecord: Equatable {
    /// `ready`, `failed`, `timed-out`, `cancelled`, or nil if the run ended earlier.
    var outcome: String?
    var openedAt: Int?
    var readyAt: Int?
    var late: [String] = []
    var failed: [String] = []
  }

  struct StepRecord: Equatable {
    var id: String
    var outcome: String?
    var conclusion: String?
    var reason: String?
    var attempts = 0
    var readyAt: Int?
    var startedAt: Int?
    var endedAt: Int?
    var overrun: Int?
    var isAbandoned = false
    var isDeferred = false
    var isBlocking = false
    var items: [ItemRecord] = []
  }

  struct ItemRecord: Equatable {
    var outcome: String?
    var reason: String?
    var attempts = 0
    var startedAt: Int?
    var endedAt: Int?
    var isAbandoned = false
  }

  /// Returns the fields that differ in `other`, one per line, such as `steps.b.outcome: success, but engine failure`.
  func differences(from other: RunRecord, called name: String) -> [String] {
    var lines: [String] = []
    func compare<T: Equatable>(_ field: String, _ left: T, _ right: T) {
      if left != right { lines.append("\(field): \(left), but \(name) \(right)") }
    }
    compare("contradictions", contradictions, other.contradictions)
    compare("conclusion", conclusion, other.conclusion)
    compare("endedAt", endedAt, other.endedAt)
    compare("gate.outcome", gate.outcome, other.gate.outcome)
    compare("gate.openedAt", gate.openedAt, other.gate.openedAt)
    compare("gate.readyAt", gate.readyAt, other.gate.readyAt)
    compare("gate.late", gate.late, other.gate.late)
    compare("gate.failed", gate.failed, other.gate.failed)
    for (left, right) in zip(steps, other.steps) {
      let field = "steps.\(left.id)."
      compare(field + "id", left.id, right.id)
      compare(field + "outcome", left.outcome, right.outcome)
      compare(field + "conclusion", left.conclusion, right.conclusion)
      compare(field + "reason", left.reason, right.reason)
      compare(field + "attempts", left.attempts, right.attempts)
      compare(field + "readyAt", left.readyAt, right.readyAt)
      compare(field + "startedAt", left.startedAt, right.startedAt)
      compare(field + "endedAt", left.endedAt, right.endedAt)
      compare(field + "overrun", left.overrun, right.overrun)
      compare(field + "abandoned", left.isAbandoned, right.isAbandoned)
      compare(field + "deferred", left.isDeferred, right.isDeferred)
      compare(field + "blocking", left.isBlocking, right.isBlocking)
      compare(field + "count of items", left.items.count, right.items.count)
      for (index, (item, other)) in zip(left.items, right.items).enumerated() {
        compare(field + "items[\(index)]", item, other)
      }
    }
    compare("count of steps", steps.count, other.steps.count)
    for event in Set(events.keys).union(other.events.keys).sorted() {
      compare("events.\(event)", events[event], other.events[event])
      compare("posts.\(event)", posts[event], other.posts[event])
    }
    return lines
  }
}
