import FlowModel

/// How many steps of a plan are where in their lives. ``Plan/move(_:to:)`` keeps all but the first two of them.
struct PlanCounts: Sendable, Equatable {
  /// Steps that are not finished.
  var unsettled = 0
  /// Blocking steps that are not finished.
  var blocking = 0
  var queued = 0
  /// Steps queued, running or held by their minimum that are not idle ones.
  var busy = 0
  var running = 0
  /// The capacity in use in all queues together: running bodies, and those that were asked to end and have not returned.
  var occupied = 0
  var retrying = 0
  var holding = 0
  var deciding = 0

  /// Whether no step can finish by itself any more.
  var isStill: Bool { queued + running + retrying + holding + deciding == 0 }
}

/// The events of a run: latches, of which the first post counts. Of those that repeat each post is reported.
struct EventLatches: Sendable {
  private(set) var indices = NameIndices()
  private(set) var names: [String] = []
  /// When each event was first posted; `never` before.
  var times: [Int] = []
  /// Which step posted each first; -1: none did, it came from outside, or is not known.
  private(set) var posters: [StepIndex] = []
  /// The steps that wait for each.
  var waiters: [[StepIndex]] = []
  /// Steps with an `after`, in file order.
  var waitingSteps: [StepIndex] = []
  /// The posts of each event that repeats, by the event's index.
  private(set) var repeated: [Int: RepeatedPosts] = [:]

  /// The posts of an event that repeats.
  struct RepeatedPosts: Sendable {
    /// How many there were.
    var count = 0
    /// When each came, up to ``Limits/events``.
    var times: [Int] = []
  }

  /// Has each post of an event told.
  mutating func declareRepeating(_ name: String) { repeated[index(of: name), default: RepeatedPosts()].count += 0 }

  /// Counts a post of an event that repeats; nil: it does not repeat.
  mutating func notePost(of event: Int, at now: Int) -> Int? {
    guard !repeated.isEmpty, var posts = repeated[event] else { return nil }
    posts.count += 1
    if posts.times.count < Limits.events { posts.times.append(now) }
    repeated[event] = posts
    return posts.count
  }

  /// The index of an event, made at its first mention.
  mutating func index(of name: String) -> Int {
    if let index = indices[name] { return Int(index) }
    indices[name] = Int32(names.count)
    names.append(name)
    times.append(never)
    posters.append(-1)
    waiters.append([])
    return names.count - 1
  }

  /// Says which step is about to post an event, where that is the first post.
  mutating func note(poster: StepIndex, of name: String) {
    let event = index(of: name)
    if times[event] == never { posters[event] = poster }
  }

  /// When an event was first posted; nil: not yet.
  func time(of name: String) -> Int? {
    guard let index = indices[name], times[Int(index)] != never else { return nil }
    return times[Int(index)]
  }
}

/// The state of the launch gate, as the plan knows it.
struct GateReadiness: Sendable {
  var bounds: GateBounds
  /// The instant that minimum and maximum count from: activation, or the resume of a run whose gate had not opened.
  var countsFrom = never
  /// How it opened; nil while it is closed.
  var outcome: GateOutcome?
  var openedAt = never
  /// When the last blocking step was satisfied.
  var readyAt = never
  var isDecided = false
  /// The instant of the end by which it was decided.
  var decidedAt = never
  /// What the gate is reported once every `if` that the same event made due has been answered.
  var pendingDecision: GateDecision?
  /// Blocking steps that ended unsatisfied while it was closed.
  var failed: [StepIndex] = []
  /// Whether a blocking step ended unsatisfied, before the gate opened or after.
  var isAnyUnsatisfied = false
  /// The steps that wait for it.
  var deferredSteps: [StepIndex] = []

  init(bounds: GateBounds) { self.bounds = bounds }
}

/// What a plan still expects or keeps back.
struct Outstanding: Sendable {
  /// Events that were announced from outside and have not come.
  var announcedEvents: Int
  var outsideSourceIsOpen: Bool
  /// Whether services whose events come from outside end when nothing is due to come.
  var outsideServicesEnd = false
  /// Whether those services report the posts that they have handled.
  var countsUnhandledPosts = false
  /// The number of things that are due to come from outside.
  var expectedFromOutside = 0
  /// The posts that services whose events come from outside follow and have not handled.
  var unhandledPosts: [StepIndex: Int] = [:]
  var heldForActivation: [StepIndex] = []
  /// Steps that may not run before activation and have a dependency that ended unsatisfied, once for each such
  /// dependency.
  var failedBeforeActivation: [StepIndex] = []
  var heldForIdle: [StepIndex] = []
  /// The steps of the workflow's own `finally`, until all others have finished.
  var finalSteps: [StepIndex] = []
  /// Attempts that were asked to end and have not returned, and when they were told.
  var cancelling: [Attempt: Int] = [:]
  /// Services that reported ready and have not returned.
  var serving: Set<StepIndex> = []
  /// Those of them that were asked to stop.
  var stopping: Set<StepIndex> = []
  /// The ends of included files that wait for the services of the file to stop.
  var endingFiles: Set<StepIndex> = []
  /// The ends of included files of which steps were cancelled because a service that they need had ended.
  var withdrawnFiles: Set<StepIndex> = []
  /// Steps about to be finished. The list keeps cascades flat: a chain of any length is walked without recursion.
  var collected: [(step: StepIndex, outcome: Outcome, reason: SkipReason?)] = []
  /// Steps that were running when the run was cancelled, and whose `if` is evaluated again: those for which it holds clean up
  /// and continue.
  var reconsidered: Set<StepIndex> = []
  /// The step that has the main queue and ignored its deadline.
  var mainHolder: StepIndex?
  /// Whether steps that wait for the main queue behind it do so for a limited time.
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

/// What few steps have.
struct StepParticulars: Sendable {
  var failures: [StepIndex: StepFailure] = [:]
  /// How long a body continued after its maximum.
  var overruns: [StepIndex: Int] = [:]
  /// The instants until which bodies are awaited that need more than the usual time to end.
  var graceEnds: [Attempt: Int] = [:]
  /// When a step was asked to end because its time had passed.
  var maximumTimes: [StepIndex: Int] = [:]
  /// When the current attempt of a step with a maximum an attempt started.
  var attemptStarts: [StepIndex: Int] = [:]
  /// The attempts that failed with another to come, in the order in which they were noted and until they are reported.
  var failedAttempts: [FailedAttempt] = []
  /// When each attempt began and ended of steps that had several; the last one ends with the step.
  var attemptTimes: [StepIndex: [AttemptTimes]] = [:]
  /// Attempts of a step that were interrupted with the process and do not count against its retries.
  var interruptions: [StepIndex: UInt8] = [:]
  /// How many bodies of a step executors have lost in this process.
  var losses: [StepIndex: Int] = [:]
  /// When the body of a step that an executor runs first began, and of which try it was the last time.
  var beginnings: [StepIndex: Beginning] = [:]
  /// The steps with items of which an executor has begun one.
  var begunFanOuts: Set<StepIndex> = []
}

/// When bodies of a step began elsewhere.
struct Beginning: Sendable {
  /// When the first one did.
  var firstAt: Int
  /// Which attempt the last one was.
  var attempt: UInt8
}

extension StepParticulars {
  /// Notes when an attempt of a step, or of an item, was over that another may follow. `startedAt` is when the first
  /// one began.
  mutating func noteAttemptEnd(of step: StepIndex, startedAt: Int, at now: Int) {
    attemptTimes[step, default: []].noteEnd(startedAt: startedAt, begunAt: beginnings[step]?.firstAt ?? never, at: now)
  }

  /// Notes when a body began elsewhere.
  mutating func noteBeginning(of step: StepIndex, attempt: UInt8, at now: Int) {
    beginnings[step, default: Beginning(firstAt: now, attempt: attempt)].attempt = attempt
    if let last = attemptTimes[step]?.indices.last { attemptTimes[step]?[last].begunAt = now }
  }
}

extension [AttemptTimes] {
  /// The newest attempt was over; the first one is noted with it.
  mutating func noteEnd(startedAt: Int, begunAt: Int = never, at now: Int) {
    if let last = indices.last, self[last].endedAt == never {
      self[last].endedAt = now
    } else {
      append(AttemptTimes(startedAt: isEmpty ? startedAt : never, begunAt: isEmpty ? begunAt : never, endedAt: now))
    }
  }

  /// Another attempt began, or is known to have done so; nothing where one continues.
  mutating func noteStart(at now: Int) {
    if last?.endedAt != never { append(AttemptTimes(startedAt: now, endedAt: never)) }
  }
}

/// When an attempt began and ended, in nanoseconds from the start of the run.
package struct AttemptTimes: Sendable, Hashable {
  /// When it began; `Int.min`: before this process, which only knows that it ended.
  package var startedAt: Int
  /// When its body began elsewhere; `Int.min`: it did not, or ran here.
  package var begunAt = never
  /// When it was over; `Int.min`: not yet.
  package var endedAt: Int
}

/// An attempt that failed while the step continues: by the time it is reported, the next one may have failed too.
struct FailedAttempt: Sendable {
  var attempt: Int
  var failure: StepFailure?
}
