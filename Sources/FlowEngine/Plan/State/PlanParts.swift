import FlowModel

/// The number of steps with each status. ``Plan/move(_:to:)`` updates all except `blocking` and `occupied`.
struct PlanCounts: Sendable, Equatable {
  var unsettled = 0
  var blocking = 0
  var queued = 0
  /// The number of steps that are queued, running or held until their minimum. Steps with `defer: idle` do not count.
  var busy = 0
  var running = 0
  /// The total of the queues' `occupied` counts.
  var occupied = 0
  var retrying = 0
  var holding = 0
  var deciding = 0

  /// True if no step can make progress until something happens outside the plan.
  var isStill: Bool { queued + running + retrying + holding + deciding == 0 }
}

/// The events of a run. Only the first post of an event counts, unless the event repeats.
struct EventLatches: Sendable {
  private(set) var indices = NameIndices()
  private(set) var names: [String] = []
  /// The time of each event's first post, or `never`.
  var times: [Int] = []
  /// The step that posted each event first, or -1 if the event has not been posted or its poster is unknown.
  private(set) var posters: [StepIndex] = []
  /// The steps that wait for each event.
  var waiters: [[StepIndex]] = []
  /// The steps with an `after`, in file order.
  var waitingSteps: [StepIndex] = []
  /// The posts of events that repeat, by the event's index.
  private(set) var repeated: [Int: RepeatedPosts] = [:]

  struct RepeatedPosts: Sendable {
    var count = 0
    /// The times of the first ``Limits/events`` posts.
    var times: [Int] = []
  }

  mutating func declareRepeating(_ name: String) { repeated[index(of: name), default: RepeatedPosts()].count += 0 }

  /// Counts a post. Returns its number, or nil if the event does not repeat.
  mutating func notePost(of event: Int, at now: Int) -> Int? {
    guard !repeated.isEmpty, var posts = repeated[event] else { return nil }
    posts.count += 1
    if posts.times.count < Limits.events { posts.times.append(now) }
    repeated[event] = posts
    return posts.count
  }

  /// Returns the index of an event, which is added if it is new.
  mutating func index(of name: String) -> Int {
    if let index = indices[name] { return Int(index) }
    indices[name] = Int32(names.count)
    names.append(name)
    times.append(never)
    posters.append(-1)
    waiters.append([])
    return names.count - 1
  }

  /// Records the step that is about to post an event. Posts after the first one do not change it.
  mutating func note(poster: StepIndex, of name: String) {
    let event = index(of: name)
    if times[event] == never { posters[event] = poster }
  }

  /// Returns the time of the first post, or nil if the event has not been posted.
  func time(of name: String) -> Int? {
    guard let index = indices[name], times[Int(index)] != never else { return nil }
    return times[Int(index)]
  }
}

/// The plan's view of the launch gate.
struct GateReadiness: Sendable {
  var bounds: GateBounds
  /// The time at which minimum and maximum start to count: activation or, if the gate had not opened before a resume,
  /// the time of the resume.
  var countsFrom = never
  /// The outcome, or nil while the gate is closed.
  var outcome: GateOutcome?
  var openedAt = never
  /// The time at which the last blocking step was satisfied.
  var readyAt = never
  var isDecided = false
  /// The end time of the step that decided the gate.
  var decidedAt = never
  /// A decision that has not been sent to the gate, or nil if there is none. It is withheld while the `if` of any ready
  /// step is being evaluated.
  var pendingDecision: GateDecision?
  /// The blocking steps that ended unsatisfied before the gate opened.
  var failed: [StepIndex] = []
  /// True if a blocking step ended unsatisfied, even after the gate opened.
  var isAnyUnsatisfied = false
  /// The steps that wait for the gate.
  var deferredSteps: [StepIndex] = []

  init(bounds: GateBounds) { self.bounds = bounds }
}

/// The steps, events and bodies that a plan waits for, and the steps that it holds back.
struct Outstanding: Sendable {
  /// The number of events announced with `--event` that have not been posted.
  var announcedEvents: Int
  var outsideSourceIsOpen: Bool
  /// True if services that post events from outside the run are asked to end once no more events are expected.
  var outsideServicesEnd = false
  /// True if services that post events from outside the run end only after their posts have been handled.
  var countsUnhandledPosts = false
  /// The number of further events expected from outside the run.
  var expectedFromOutside = 0
  /// The number of unhandled posts for each service that posts events from outside the run.
  var unhandledPosts: [StepIndex: Int] = [:]
  var heldForActivation: [StepIndex] = []
  /// The steps that may not run before activation and have a dependency that ended unsatisfied. A step appears once for
  /// each such dependency.
  var failedBeforeActivation: [StepIndex] = []
  var heldForIdle: [StepIndex] = []
  /// The steps of the workflow's own `finally`, which wait until all others have finished.
  var finalSteps: [StepIndex] = []
  /// The attempts that were asked to end and have not returned, with the time of the request.
  var cancelling: [Attempt: Int] = [:]
  /// The steps that clean up and wait only for bodies that were asked to end.
  var awaitingBodies: Set<StepIndex> = []
  /// The services that reported that they are ready and have not returned.
  var serving: Set<StepIndex> = []
  /// The serving steps that were asked to stop.
  var stopping: Set<StepIndex> = []
  /// The exit steps of included files that wait for the services of their file to stop.
  var endingFiles: Set<StepIndex> = []
  /// The exit steps of included files some of whose steps were cancelled because a service that they need had ended.
  var withdrawnFiles: Set<StepIndex> = []
  /// The steps that are about to finish. They are collected in a list, because recursion would limit the length of a
  /// chain of steps.
  var collected: [(step: StepIndex, outcome: Outcome, reason: SkipReason?)] = []
  /// The steps that were running when the run was cancelled and whose `if` is being evaluated again. Those whose `if`
  /// is true continue as cleanup steps.
  var reconsidered: Set<StepIndex> = []
  /// The step that ignored its deadline and still occupies the main thread, or nil if there is none.
  var mainHolder: StepIndex?
  /// True if a timer limits how long other steps wait for the occupied main thread.
  var mainHoldIsLimited = false

  init(announcedEvents: Int, outsideSourceIsOpen: Bool) {
    self.announcedEvents = announcedEvents
    self.outsideSourceIsOpen = outsideSourceIsOpen
  }
}

struct Attempt: Hashable, Sendable {
  var step: StepIndex
  var attempt: UInt8
}

/// Data that only a few steps have, by step.
struct StepParticulars: Sendable {
  var failures: [StepIndex: StepFailure] = [:]
  /// For each step or item whose body continued after its maximum, the additional time in nanoseconds.
  var overruns: [StepIndex: Int] = [:]
  /// For each attempt whose body asked for more than the usual grace, the end of its grace.
  var graceEnds: [Attempt: Int] = [:]
  /// For each step or item that was asked to end because it had reached its maximum, the time of the request.
  var maximumTimes: [StepIndex: Int] = [:]
  /// The start of the current attempt, for steps with a maximum for each attempt.
  var attemptStarts: [StepIndex: Int] = [:]
  /// The failed attempts after which another one follows, in order. Each is removed when its event is reported.
  var failedAttempts: [FailedAttempt] = []
  /// The start and end of each attempt, for steps and items with more than one, or whose minimum delayed their end. A
  /// last attempt without an end ends with its step.
  var attemptTimes: [StepIndex: [AttemptTimes]] = [:]
  /// The number of attempts that ended because their process or worker ended. They do not count as retries.
  var interruptions: [StepIndex: UInt8] = [:]
  /// The number of times that an executor has lost a step's body in this process.
  var losses: [StepIndex: Int] = [:]
  /// For each remote step, the time at which its body first began, and its last attempt.
  var beginnings: [StepIndex: Beginning] = [:]
  /// The fan-outs that have had an item begun by an executor.
  var begunFanOuts: Set<StepIndex> = []
}

/// The time at which the body of a remote step first began, and the number of the last attempt that began.
struct Beginning: Sendable {
  var firstAt: Int
  var attempt: UInt8
}

extension StepParticulars {
  /// Records the end of an attempt that may not be the last. `startedAt` is the start of the first attempt.
  mutating func noteAttemptEnd(of step: StepIndex, startedAt: Int, at now: Int) {
    attemptTimes[step, default: []].noteEnd(startedAt: startedAt, begunAt: beginnings[step]?.firstAt ?? never, at: now)
  }

  mutating func noteBeginning(of step: StepIndex, attempt: UInt8, at now: Int) {
    beginnings[step, default: Beginning(firstAt: now, attempt: attempt)].attempt = attempt
    if let last = attemptTimes[step]?.indices.last { attemptTimes[step]?[last].begunAt = now }
  }
}

extension [AttemptTimes] {
  /// Records the end of the newest attempt. If its start was not recorded, the attempt is added. `startedAt` and
  /// `begunAt` are then used only for the first one.
  mutating func noteEnd(startedAt: Int, begunAt: Int = never, at now: Int) {
    if let last = indices.last, self[last].endedAt == never {
      self[last].endedAt = now
    } else {
      append(AttemptTimes(startedAt: isEmpty ? startedAt : never, begunAt: isEmpty ? begunAt : never, endedAt: now))
    }
  }

  /// Records the start of an attempt, unless the last one has not ended.
  mutating func noteStart(at now: Int) {
    if last?.endedAt != never { append(AttemptTimes(startedAt: now, endedAt: never)) }
  }
}

extension [AttemptTimes]? {
  /// Returns the attempts of a step or item whose result is restored from a journal.
  ///
  /// - Parameters:
  ///   - finished: The result.
  ///   - attempt: The number of the last attempt that has a journal entry of its own.
  ///   - begunAt: The time at which a worker first began the body, or nil if none did.
  func ending(with finished: FinishedEntry, behind attempt: UInt8, begunAt: Int?) -> [AttemptTimes]? {
    guard self != nil || finished.workEndedAt != never else { return nil }
    var attempts = self ?? []
    // The journal may lack the start of the last attempt.
    if !attempts.isEmpty, finished.attempts > attempt { attempts.noteStart(at: never) }
    if finished.workEndedAt != never, attempts.last?.endedAt != finished.workEndedAt {
      attempts.noteEnd(startedAt: finished.startedAt, begunAt: begunAt ?? never, at: finished.workEndedAt)
    }
    // Failed attempts are recorded without the start of the first one.
    if attempts.first?.startedAt == never { attempts[0].startedAt = finished.startedAt }
    return attempts
  }
}

/// The start and end of an attempt, in nanoseconds from the start of the run.
package struct AttemptTimes: Sendable, Hashable {
  /// The start, or `Int.min` if the attempt began in an earlier process.
  package var startedAt: Int
  /// The time at which the body began on a worker, or `Int.min` if it did not.
  package var begunAt = never
  /// The end, or `Int.min` if the attempt has not ended.
  package var endedAt: Int
}

/// A failed attempt that is retried. Several attempts may fail before the first is reported.
struct FailedAttempt: Sendable {
  var attempt: Int
  var failure: StepFailure?
}
