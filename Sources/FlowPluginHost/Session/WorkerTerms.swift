/// The settings of the host for a worker (`flowrun worker`).
package struct WorkerTerms: Sendable {
  /// A protocol extension. It is used if the host and the worker both support it.
  package enum Offer: String, Sendable, CaseIterable {
    /// The host sends pings. Without them, the worker ends itself and its commands.
    case ping
    /// The worker reports when an action starts to run.
    case started
    /// Calls contain the step's idempotency key.
    case key
    /// The worker reports the versions of the programs that its actions use.
    case capabilities
    /// The host answers `receipt` with `receipt`; see ``WorkerTerms/isRemote``.
    case receipts
    /// The worker has its own folders. The host copies the steps' files to them and their products back; see
    /// ``WorkerTerms/copies``.
    case files
  }

  /// The settings for copying files to workers that do not share them.
  package struct Copies: Sendable, Hashable {
    /// The folder on the worker's machine for its files, or nil for the temporary folder.
    package var scratch: String?

    package init(scratch: String?) { self.scratch = scratch }
  }

  /// The absolute path of the workflow's folder, which must exist on the worker unless files are copied.
  package var workflowFolder: String
  /// The intervals of the heartbeats.
  package var pulse: PulseRhythm
  /// Returns true if the host may still send pings. It may not if another process may have taken over the run.
  package var mayPing: @Sendable () -> Bool
  /// The variables of the worker's environment that are not passed to its commands.
  package var withheld: Set<String> = []
  /// True if the connection to the worker uses a network. There, a second small write may be delayed by 40 ms until the
  /// first one is confirmed. So the worker requests a receipt with each write that is not an answer, and the receipt
  /// also transmits the confirmation.
  package var isRemote = false
  /// The settings for copying files, or nil if the host and the workers share them.
  package var copies: Copies?
  /// Texts with which the transport announces its end on standard error.
  package var endSigns: [String] = []
  /// Reports messages of the worker that do not belong to a step.
  package var tell: @Sendable (String) -> Void = { _ in }

  /// The extensions that the host supports.
  var offers: [Offer] {
    Offer.allCases.filter { $0 == .receipts ? isRemote : $0 == .files ? copies != nil : true }
  }

  /// Creates the settings for the workers of a run.
  package init(
    workflowFolder: String, pulse: PulseRhythm = PulseRhythm(), mayPing: @escaping @Sendable () -> Bool = { true }
  ) {
    self.workflowFolder = workflowFolder
    self.pulse = pulse
    self.mayPing = mayPing
  }
}

/// The intervals of a worker's heartbeats, and the maximum time without one.
///
/// A worker's commands must have ended before the host considers them lost. Otherwise the action of one step could run
/// twice at the same time.
package struct PulseRhythm: Sendable, Hashable {
  /// The time between pings.
  package var interval: Duration
  /// If no ping arrives, the guard ends the worker and its commands when this time has passed since the second-to-last
  /// ping. That ping was certainly answered, because another one followed, and the host counts from the answer. So a
  /// delayed ping does not keep the worker running for too long.
  package var guardSilence: Duration
  /// If the host receives no answer for this time, it considers the worker lost.
  package var silence: Duration

  /// Creates intervals of 2 s, 10 s and 11 s, multiplied by `scale`. Tests use a small scale.
  package init(scale: Double = 1) {
    interval = .seconds(2) * scale
    guardSilence = .seconds(10) * scale
    silence = .seconds(11) * scale
  }
}

/// The state of one worker's heartbeats, without a clock.
struct SessionPulse: Sendable {
  let rhythm: PulseRhythm
  private var lastAnswer: ContinuousClock.Instant
  private var nextPing: ContinuousClock.Instant
  /// True if the last ping has not been answered.
  private(set) var isAwaited = false

  /// Creates the state of a worker that has answered at this time.
  init(_ rhythm: PulseRhythm, at now: ContinuousClock.Instant) {
    self.rhythm = rhythm
    lastAnswer = now
    nextPing = now
  }

  /// True if a ping should be sent. Only one ping is pending at a time, so that pings do not accumulate if the worker
  /// does not answer.
  func isDue(at now: ContinuousClock.Instant) -> Bool { !isAwaited && nextPing <= now }

  /// Records a ping. If it was not sent, the next one is due after the usual interval.
  mutating func notePing(at now: ContinuousClock.Instant, isSent: Bool) {
    isAwaited = isSent
    nextPing = now + rhythm.interval
  }

  mutating func noteAnswer(at now: ContinuousClock.Instant) {
    isAwaited = false
    lastAnswer = now
  }

  /// True if the worker has been silent for too long.
  func isLost(at now: ContinuousClock.Instant) -> Bool { lastAnswer + rhythm.silence <= now }

  /// The time of the next ping, or the time at which the worker is considered lost.
  var nextInstant: ContinuousClock.Instant {
    let end = lastAnswer + rhythm.silence
    return isAwaited ? end : min(end, nextPing)
  }
}

extension PluginSession {
  func notePong() -> Effect {
    let isLast = state.withLock { state in
      state.pulse?.noteAnswer(at: .now)
      // Reading stops if no call is pending.
      if state.isQuiet { state.leaveReading() }
      return state.isQuiet
    }
    return isLast ? .last : .some
  }
}
