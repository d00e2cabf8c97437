/// What the host offers to a worker (`flowrun worker`) next to what plugins' programs know.
package struct WorkerTerms: Sendable {
  /// An addition to the protocol. Each is used where both sides name it.
  package enum Offer: String, Sendable, CaseIterable {
    /// The host asks for heartbeats; the worker ends itself and its commands when no ping comes.
    case ping
    /// The worker says when a body begins.
    case started
    /// Calls carry the step's idempotency key.
    case key
    /// The worker distinguishes its actions with what tells their programs.
    case capabilities
    /// The host answers `receipt` with `receipt`; see ``WorkerTerms/isRemote``.
    case receipts
    /// The worker has folders of its own, to which the host sends the files of steps and from which it fetches what they make;
    /// see ``WorkerTerms/copies``.
    case files
  }

  /// How files travel where workers do not share them.
  package struct Copies: Sendable, Hashable {
    /// The folder of the worker's machine in which the worker makes its own; nil: the one for temporary files.
    package var scratch: String?

    /// Into a folder in this one.
    package init(scratch: String?) { self.scratch = scratch }
  }

  /// The absolute path of the workflow's folder, which the worker must have unless files are copied.
  package var workflowFolder: String
  /// How often life is asked for.
  package var pulse: PulseRhythm
  /// Whether the host may still ask: not once it may have lost its run to another process.
  package var mayPing: @Sendable () -> Bool
  /// Variables of the worker's own environment that its commands do not get.
  package var withheld: Set<String> = []
  /// Whether a network carries the pipe. Then a second small write may wait 40 ms until the first one is confirmed, so the
  /// worker asks for a receipt with each write that is not an answer: the receipt carries the confirmation.
  package var isRemote = false
  /// How files travel; nil: host and workers share them.
  package var copies: Copies?
  /// Texts on standard error by which the transport says that it is about to end.
  package var endSigns: [String] = []
  /// Receives what a worker says that does not belong to a step.
  package var tell: @Sendable (String) -> Void = { _ in }

  /// What is offered.
  var offers: [Offer] {
    Offer.allCases.filter { $0 == .receipts ? isRemote : $0 == .files ? copies != nil : true }
  }

  /// Terms for the workers of a run.
  package init(
    workflowFolder: String, pulse: PulseRhythm = PulseRhythm(), mayPing: @escaping @Sendable () -> Bool = { true }
  ) {
    self.workflowFolder = workflowFolder
    self.pulse = pulse
    self.mayPing = mayPing
  }
}

/// How often a worker is asked for a heartbeat, and what silence means.
///
/// The order matters: a worker's commands are ended before the host takes them for lost, so that no two bodies of one
/// step run at once.
package struct PulseRhythm: Sendable, Hashable {
  /// From one ping to the next.
  package var interval: Duration
  /// The worker's guard ends it with its commands when so much time has passed since the last ping but one: that it was
  /// answered is known from there being another, and the host counts from the answer at the earliest. So a ping that was held
  /// up on its way keeps no worker alive too long.
  package var guardSilence: Duration
  /// After so long without an answer the host takes the worker for lost.
  package var silence: Duration

  /// 2 s, 10 s and 11 s, each multiplied by `scale`, which tests make small.
  package init(scale: Double = 1) {
    interval = .seconds(2) * scale
    guardSilence = .seconds(10) * scale
    silence = .seconds(11) * scale
  }
}

/// The heartbeats of one worker: a value without a clock.
struct SessionPulse: Sendable {
  let rhythm: PulseRhythm
  private var lastAnswer: ContinuousClock.Instant
  private var nextPing: ContinuousClock.Instant
  /// Whether a ping has not been answered.
  private(set) var isAwaited = false

  /// A worker that has just been heard of.
  init(_ rhythm: PulseRhythm, at now: ContinuousClock.Instant) {
    self.rhythm = rhythm
    lastAnswer = now
    nextPing = now
  }

  /// Whether a ping should be sent: one at a time, so that a worker that does not answer gets no more of them.
  func isDue(at now: ContinuousClock.Instant) -> Bool { !isAwaited && nextPing <= now }

  /// A ping was due; one that was not allowed is asked for again later.
  mutating func notePing(at now: ContinuousClock.Instant, isSent: Bool) {
    isAwaited = isSent
    nextPing = now + rhythm.interval
  }

  /// A ping was answered.
  mutating func noteAnswer(at now: ContinuousClock.Instant) {
    isAwaited = false
    lastAnswer = now
  }

  /// Whether the worker has been silent for too long.
  func isLost(at now: ContinuousClock.Instant) -> Bool { lastAnswer + rhythm.silence <= now }

  /// When something is to happen next.
  var nextInstant: ContinuousClock.Instant {
    let end = lastAnswer + rhythm.silence
    return isAwaited ? end : min(end, nextPing)
  }
}

extension PluginSession {
  /// Takes in that a ping was answered.
  func notePong() -> Effect {
    let isLast = state.withLock { state in
      state.pulse?.noteAnswer(at: .now)
      // The reader stops if nothing else is awaited.
      if state.isQuiet { state.leaveReading() }
      return state.isQuiet
    }
    return isLast ? .last : .some
  }
}
