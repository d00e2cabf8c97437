import FlowModel

/// The numbers of steps by status. ``Plan/move(_:to:)`` updates all except the first two.
struct PlanCounts: Sendable, Equatable {
  /// The number of steps that have not finished.
  var unsettled = 0
  /// The number of blocking steps that have not finished.
  var blocking = 0
  var queued = 0
  /// The number of steps that are queued, running or held by their minimum, without idle steps.
  var busy = 0
  var running = 0
  /// The capacity in use in all queues: running bodies, and bodies that were asked to end and have not returned.
  var occupied = 0
  var retrying = 0
  var holding = 0
  var deciding = 0

  /// True if no step can finish without an event from outside the plan.
  var isStill: Bool { queued + running + retrying + holding + deciding == 0 }
}

/// The events of a run. They are latches: only the first post counts. For events that repeat, each post is reported.
struct EventLatches: Sendable {
  private(set) var indices = NameIndices()
  private(set) var names: [String] = []
  /// The time of each event's first post, or `never`.
  var times: [Int] = []
  /// The step that posted each event first, or -1 if the post came from outside, is unknown or has not happened.
  private(set) var posters: [StepIndex] = []
  /// The steps that wait for each event.
  var waiters: [[StepIndex]] = []
  /// The steps with an `after`, in file order.
  var waitingSteps: [StepIndex] = []
  /// The posts of each event that repeats, by the event's index.
  private(set) var repeated: [Int: RepeatedPosts] = [:]

  /// The posts of an event that repeats.
  struct RepeatedPosts: Sendable {
    /// The number of posts.
    var count = 0
    /// The times of the posts, at most ``Limits/events``.
    var times: [Int] = []
  }

  /// Declares that an event repeats, so each of its posts is reported.
  mutating func declareRepeating(_ name: String) { repeated[index(of: name), default: RepeatedPosts()].count += 0 }

  /// Counts a post and returns its number, or nil if the event does not repeat.
  mutating func notePost(of event: Int, at now: Int) -> Int? {
    guard !repeated.isEmpty, var posts = repeated[event] else { return nil }
    posts.count += 1
    if posts.times.count < Limits.events { posts.times.append(now) }
    repeated[event] = posts
    return posts.count
  }

  /// The index of an event, created on first use.
  mutating func index(of name: String) -> Int {
    if let index = indices[name] { return Int(index) }
    indices[name] = Int32(names.count)
    names.append(name)
    times.append(never)
    posters.append(-1)
    waiters.append([])
    return names.count - 1
  }

  /// Records the step that is about to post an event, if this is the first post.
  mutating func note(poster: StepIndex, of name: String) {
    let event = index(of: name)
    if times[event] == never { posters[event] = poster }
  }

  /// Returns the time of an event's first post, or nil if it has not been posted.
  func time(of name: String) -> Int? {
    guard let index = indices[name], times[Int(index)] != never else { return nil }
    return times[Int(index)]
  }
}

/// The plan's view of the launch gate.
struct GateReadiness: Sendable {
  var bounds: GateBounds
  /// The instant from which minimum and maximum count: activation, or the resume of a run whose gate had not opened.
  var countsFrom = never
  /// The outcome of the gate, or nil while it is closed.
  var outcome: GateOutcome?
  var openedAt = never
  /// The instant at which the last blocking step was satisfied.
  var readyAt = never
  var isDecided = false
  /// The instant at which the deciding step ended.
  var decidedAt = never
  /// The decision that the gate receives once every `if` that became due in the same event has been evaluated.
  var pendingDecision: GateDecision?
  /// The blocking steps that ended unsatisfied while the gate was closed.
  var failed: [StepIndex] = []
  /// True if a blocking step ended unsatisfied, before or after the gate opened.
  var isAnyUnsatisfied = false
  /// The steps that wait for the gate.
  var deferredSteps: [StepIndex] = []

  init(bounds: GateBounds) { self.bounds = bounds }
}

/// The steps, events and bodies that a plan is still waiting for or holding back.
struct Outstanding: Sendable {
  /// The number of announced events that have not arrived from outside.
  var announcedEvents: Int
  var outsideSourceIsOpen: Bool
  /// True if services that post events from outside end when nothing more is expected.
  var outsideServicesEnd = false
  /// True if those services report the posts that have been handled.
  var countsUnhandledPosts = false
  /// The number of events expected from outside.
  var expectedFromOutside = 0
  /// For each service that posts events from outside, the number of posts it follows and has not handled.
  var unhandledPosts: [StepIndex: Int] = [:]
  var heldForActivation: [StepIndex] = []
  /// The steps that may not run before activation and have a dependency that ended unsatisfied, once for each such
  /// dependency.
  var failedBeforeActivation: [StepIndex] = []
  var heldForIdle: [StepIndex] = []
  /// The steps of the workflow's own `finally`, until all others have finished.
  var finalSteps: [StepIndex] = []
  /// The attempts that were asked to end and have not returned, with the time of the request.
  var cancelling: [Attempt: Int] = [:]
  /// The steps that clean up and wait only for bodies that were asked to end.
  var awaitingBodies: Set<StepIndex> = []
  /// The services that reported that they are ready and have not returned.
  var serving: Set<StepIndex> = []
  /// The serving steps that were asked to stop.
  var stopping: Set<StepIndex> = []
  /// The ends of included files that wait for the file's services to stop.
  var endingFiles: Set<StepIndex> = []
  /// The ends of included files in which steps were cancelled because a service they need had ended.
  var withdrawnFiles: Set<StepIndex> = []
  /// The steps that are about to finish. The list avoids recursion, so a chain may have any length.
  var collected: [(step: StepIndex, outcome: Outcome, reason: SkipReason?)] = []
  /// The steps that were running when the run was cancelled and whose `if` is evaluated again. If it is true, the step
  /// continues as cleanup.
  var reconsidered: Set<StepIndex> = []
  /// The step that ignored its deadline and still occupies the main queue.
  var mainHolder: StepIndex?
  /// True if a time limit has been set for the steps that wait for the occupied main queue.
  var mainHoldIsLimited = false

  init(announcedEvents: Int, outsideSourceIsOpen: Bool) {
    self.announcedEvents = announcedEvents
    self.outsideSourceIsOpen = outsideSourceIsOpen
  }
}

/// One attempt of one step.
struct Attempt: Hashable, Sendable {
  var step: StepIndex
  var attempt: UInt8
}

/// Properties that only a few steps have.
struct StepParticulars: Sendable {
  var failures: [StepIndex: StepFailure] = [:]
  /// The time for which a body continued after its maximum.
  var overruns: [StepIndex: Int] = [:]
  /// The instants until which the plan waits for bodies that need more than the usual grace.
  var graceEnds: [Attempt: Int] = [:]
  /// The time at which a step was asked to end because of its maximum.
  var maximumTimes: [StepIndex: Int] = [:]
  /// The start of the current attempt of a step with a maximum per attempt.
  var attemptStarts: [StepIndex: Int] = [:]
  /// The attempts that failed and are followed by another, in order, until they are reported.
  var failedAttempts: [FailedAttempt] = []
  /// The beginning and end of each attempt, for steps with several. The last attempt ends with the step.
  var attemptTimes: [StepIndex: [AttemptTimes]] = [:]
  /// The number of attempts that were interrupted with the process and do not count as retries.
  var interruptions: [StepIndex: UInt8] = [:]
  /// The number of a step's bodies that executors have lost in this process.
  var losses: [StepIndex: Int] = [:]
  /// For remote steps, when the first body began, and the attempt of the last one.
  var beginnings: [StepIndex: Beginning] = [:]
  /// The fan-outs of which an executor has begun an item.
  var begunFanOuts: Set<StepIndex> = []
}

/// The beginnings of a remote step's bodies.
struct Beginning: Sendable {
  /// The time at which the first body began.
  var firstAt: Int
  /// The attempt of the last body.
  var attempt: UInt8
}

extension StepParticulars {
  /// Records the end of an attempt that another may follow. `startedAt` is when the first attempt began.
  mutating func noteAttemptEnd(of step: StepIndex, startedAt: Int, at now: Int) {
    attemptTimes[step, default: []].noteEnd(startedAt: startedAt, begunAt: beginnings[step]?.firstAt ?? never, at: now)
  }

  /// Records when a remote body began.
  mutating func noteBeginning(of step: StepIndex, attempt: UInt8, at now: Int) {
    beginnings[step, default: Beginning(firstAt: now, attempt: attempt)].attempt = attempt
    if let last = attemptTimes[step]?.indices.last { attemptTimes[step]?[last].begunAt = now }
  }
}

extension [AttemptTimes] {
  /// Records the end of the newest attempt, adding an entry for a first attempt.
  mutating func noteEnd(startedAt: Int, begunAt: Int = never, at now: Int) {
    if let last = indices.last, self[last].endedAt == never {
      self[last].endedAt = now
    } else {
      append(AttemptTimes(startedAt: isEmpty ? startedAt : never, begunAt: isEmpty ? begunAt : never, endedAt: now))
    }
  }

  /// Records the start of another attempt, unless the last one has not ended.
  mutating func noteStart(at now: Int) {
    if last?.endedAt != never { append(AttemptTimes(startedAt: now, endedAt: never)) }
  }
}

/// The beginning and end of an attempt, in nanoseconds from the start of the run.
package struct AttemptTimes: Sendable, Hashable {
  /// The time at which the attempt began, or `Int.min` if it began in an earlier process.
  package var startedAt: Int
  /// The time at which its body began remotely, or `Int.min` if it did not.
  package var begunAt = never
  /// The time at which the attempt ended, or `Int.min` if it has not.
  package var endedAt: Int
}

/// A failed attempt of a step that continues. The next one may fail before this one is reported.
struct FailedAttempt: Sendable {
  var attempt: Int
  var failure: StepFailure?
}
