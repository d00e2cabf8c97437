/// The host's protocol extensions and settings for a worker (`flowrun worker`).
package struct WorkerTerms: Sendable {
  /// A protocol extension, used if both sides offer it.
  package enum Offer: String, Sendable, CaseIterable {
    /// The host asks for heartbeats; without pings the worker ends itself and its commands.
    case ping
    /// The worker reports when a body begins.
    case started
    /// Calls carry the step's idempotency key.
    case key
    /// The worker identifies the programs of its actions.
    case capabilities
    /// The host answers `receipt` with `receipt`; see ``WorkerTerms/isRemote``.
    case receipts
    /// The worker has separate folders, to which the host sends the files of steps and from which it fetches their
    /// products; see ``WorkerTerms/copies``.
    case files
  }

  /// The settings for copying files to workers that do not share them.
  package struct Copies: Sendable, Hashable {
    /// The folder on the worker's machine for its files, or nil for the temporary folder.
    package var scratch: String?

    /// Creates settings with this folder.
    package init(scratch: String?) { self.scratch = scratch }
  }

  /// The absolute path of the workflow's folder, which must exist on the worker unless files are copied.
  package var workflowFolder: String
  /// The intervals of heartbeats.
  package var pulse: PulseRhythm
  /// True if the host may still send pings; false once it may have lost its run to another process.
  package var mayPing: @Sendable () -> Bool
  /// Variables of the worker's environment that its commands do not inherit.
  package var withheld: Set<String> = []
  /// True if the pipe runs over a network. A second small write may then wait 40 ms until the first one is confirmed,
  /// so the worker requests a receipt with each write that is not an answer; the receipt carries the confirmation.
  package var isRemote = false
  /// The settings for copying files, or nil if host and workers share them.
  package var copies: Copies?
  /// Texts on standard error with which the transport announces its end.
  package var endSigns: [String] = []
  /// Receives messages of a worker that do not belong to a step.
  package var tell: @Sendable (String) -> Void = { _ in }

  /// The extensions that the host offers.
  var offers: [Offer] {
    Offer.allCases.filter { $0 == .receipts ? isRemote : $0 == .files ? copies != nil : true }
  }

  /// Creates terms for the workers of a run.
  package init(
    workflowFolder: String, pulse: PulseRhythm = PulseRhythm(), mayPing: @escaping @Sendable () -> Bool = { true }
  ) {
    self.workflowFolder = workflowFolder
    self.pulse = pulse
    self.mayPing = mayPing
  }
}

/// The intervals of a worker's heartbeats, and the time limits for silence.
///
/// The order matters: a worker's commands are ended before the host considers them lost, so that two bodies of one step
/// never run at the same time.
package struct PulseRhythm: Sendable, Hashable {
  /// The time between pings.
  package var interval: Duration
  /// The guard ends the worker and its commands when this time has passed since the last ping but one. That ping was
  /// certainly answered, because another one followed, and the host counts from the answer at the earliest. So a
  /// delayed ping does not keep a worker alive too long.
  package var guardSilence: Duration
  /// The time without an answer after which the host considers the worker lost.
  package var silence: Duration

  /// Creates the intervals 2 s, 10 s and 11 s, each multiplied by `scale`, which is small in tests.
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
  /// True if a ping has not been answered.
  private(set) var isAwaited = false

  /// Creates the state of a worker that has just answered.
  init(_ rhythm: PulseRhythm, at now: ContinuousClock.Instant) {
    self.rhythm = rhythm
    lastAnswer = now
    nextPing = now
  }

  /// True if a ping should be sent. Only one is pending at a time, so that a worker that does not answer gets no more
  /// of them.
  func isDue(at now: ContinuousClock.Instant) -> Bool { !isAwaited && nextPing <= now }

  /// Records that a ping was due; one that was not permitted is retried later.
  mutating func notePing(at now: ContinuousClock.Instant, isSent: Bool) {
    isAwaited = isSent
    nextPing = now + rhythm.interval
  }

  /// Records the answer to a ping.
  mutating func noteAnswer(at now: ContinuousClock.Instant) {
    isAwaited = false
    lastAnswer = now
  }

  /// True if the worker has been silent for too long.
  func isLost(at now: ContinuousClock.Instant) -> Bool { lastAnswer + rhythm.silence <= now }

  /// The time of the next event.
  var nextInstant: ContinuousClock.Instant {
    let end = lastAnswer + rhythm.silence
    return isAwaited ? end : min(end, nextPing)
  }
}

extension PluginSession {
  /// Handles the answer to a ping.
  func notePong() -> Effect {
    let isLast = state.withLock { state in
      state.pulse?.noteAnswer(at: .now)
      // The reader stops if no call is pending.
      if state.isQuiet { state.leaveReading() }
      return state.isQuiet
    }
    return isLast ? .last : .some
  }
}
