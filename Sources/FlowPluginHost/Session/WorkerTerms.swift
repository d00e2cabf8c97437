/// The host's settings for a worker (`flowrun worker`).
package struct WorkerTerms: Sendable {
  /// A protocol extension. It is used if the host and the worker both support it.
  package enum Offer: String, Sendable, CaseIterable {
    /// The host sends pings. If they stop, the worker ends itself and its commands.
    case ping
    /// The worker reports when an action starts to run.
    case started
    /// Calls contain an idempotency key for the step's attempt.
    case key
    /// The worker reports the digests of the programs that its actions use.
    case capabilities
    /// The host confirms messages on request; see ``WorkerTerms/isRemote``.
    case receipts
    /// The worker has its own folders. The host copies files of steps to them and fetches their products; see
    /// ``WorkerTerms/copies``.
    case files
  }

  /// The settings for copying files to workers that share no files with the host.
  package struct Copies: Sendable, Hashable {
    /// The folder for the worker's files on its machine, or nil for the system's temporary folder.
    package var scratch: String?

    package init(scratch: String?) { self.scratch = scratch }
  }

  /// The absolute path of the workflow's folder. Unless files are copied, it must exist on the worker's machine.
  package var workflowFolder: String
  /// The interval of pings, and the maximum times without a ping or an answer.
  package var pulse: PulseRhythm
  /// Returns true while the host may send pings. It returns false if another process may have taken over the run.
  package var mayPing: @Sendable () -> Bool
  /// The names of environment variables that the worker does not pass to its commands.
  package var withheld: Set<String> = []
  /// True if the worker is connected through a network. There, a second small packet may be delayed by 40 ms until the
  /// first one is acknowledged. The worker therefore requests a receipt with each delayed write that contains no
  /// answer, and the receipt carries the acknowledgement.
  package var isRemote = false
  /// The settings for copying files, or nil if the host and the workers share them.
  package var copies: Copies?
  /// Texts that the transport prints to standard error when it ends.
  package var endSigns: [String] = []
  /// Receives messages about the worker that do not belong to a step.
  package var tell: @Sendable (String) -> Void = { _ in }

  /// The protocol extensions that the host offers to this worker.
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
/// The guard must end a worker's commands before the host considers them lost. Otherwise the action of a step could run
/// twice at the same time.
package struct PulseRhythm: Sendable, Hashable {
  /// The time from one ping to the next.
  package var interval: Duration
  /// The time after which the guard ends the worker and its commands if no ping arrives. It counts from the
  /// second-to-last ping. The host must have received the answer to that ping, because it sent another one, and its own
  /// time counts from that answer. A delayed ping therefore cannot keep the worker running for too long.
  package var guardSilence: Duration
  /// The time without an answer after which the host considers the worker lost.
  package var silence: Duration

  /// Creates a rhythm with a ping every 2 s and limits of 10 s and 11 s, all multiplied by `scale`. Tests use a small
  /// scale.
  package init(scale: Double = 1) {
    interval = .seconds(2) * scale
    guardSilence = .seconds(10) * scale
    silence = .seconds(11) * scale
  }
}

/// The state of one worker's heartbeats. It does not read a clock.
struct SessionPulse: Sendable {
  let rhythm: PulseRhythm
  private var lastAnswer: ContinuousClock.Instant
  private var nextPing: ContinuousClock.Instant
  /// True if the last ping has not been answered.
  private(set) var isAwaited = false

  /// Creates the state for a worker that has just answered.
  init(_ rhythm: PulseRhythm, at now: ContinuousClock.Instant) {
    self.rhythm = rhythm
    lastAnswer = now
    nextPing = now
  }

  /// True if a ping must be sent. No ping is sent while another is unanswered, so that pings do not accumulate if the
  /// worker does not respond.
  func isDue(at now: ContinuousClock.Instant) -> Bool { !isAwaited && nextPing <= now }

  /// Records that a ping was due. `isSent` is false if sending is not allowed at the moment.
  mutating func notePing(at now: ContinuousClock.Instant, isSent: Bool) {
    isAwaited = isSent
    nextPing = now + rhythm.interval
  }

  mutating func noteAnswer(at now: ContinuousClock.Instant) {
    isAwaited = false
    lastAnswer = now
  }

  /// True if the worker has not answered for too long.
  func isLost(at now: ContinuousClock.Instant) -> Bool { lastAnswer + rhythm.silence <= now }

  /// The time at which to check again: that of the next ping, or the one at which the worker is considered lost.
  var nextInstant: ContinuousClock.Instant {
    let end = lastAnswer + rhythm.silence
    return isAwaited ? end : min(end, nextPing)
  }
}

extension PluginSession {
  func notePong() -> Effect {
    let isLast = state.withLock { state in
      state.pulse?.noteAnswer(at: .now)
      // Stop reading if neither answers nor lines are expected.
      if state.isQuiet { state.leaveReading() }
      return state.isQuiet
    }
    return isLast ? .last : .some
  }
}
