import FlowModel
import FlowPluginKit

/// The state of a session. It contains no descriptors and no threads, and it does not read a clock.
struct SessionState: Sendable {
  /// The thread that reads the program's standard output.
  enum Reader: Sendable {
    /// No thread, because no call is pending.
    case nobody
    /// The thread of a caller, for a short time, so that a quick answer needs no thread switch.
    case caller
    /// The session's thread.
    case pump
  }

  /// The pending calls, roughly in the order of their ids. Answers usually arrive in this order, so a linear search is
  /// fastest.
  private(set) var calls: [PluginCall] = []
  /// The answered calls of a worker that may still log lines, by id.
  private var talkingCalls: [Int: PluginCall] = [:]
  var reader = Reader.nobody
  /// The reason why the session ended, or nil if it has not ended. It is set once, and nothing is sent afterwards.
  private(set) var end: SessionEnd?
  /// True if the program has ended and its exit status is known.
  var isOver = false
  /// The reason for the end, as an error for callers.
  var endError: ActionError?
  var endedAt: ContinuousClock.Instant?
  /// The program's answer to `initialize`, or nil if there is none.
  var greeting: Value?
  /// The outcomes of calls that matter for deciding whether the program is started again, each once.
  private(set) var events: [Supervision.Event] = []
  /// True if the program was killed by a signal.
  var wasKilled = false
  /// The time at which a program that was asked to end is killed.
  var stopDeadline: ContinuousClock.Instant?
  /// The time at which a worker is killed because its transport has announced its end.
  private var endDeadline: ContinuousClock.Instant?
  /// The total number of bytes that have been queued for the program.
  var queuedBytes = 0
  /// The bytes that the program's input pipe has not accepted so far.
  var outbox: ArraySlice<UInt8> = []
  /// The heartbeats of a worker, or nil if no pings are sent.
  var pulse: SessionPulse?
  private var strays = 0
  /// The number of times that a caller has become the reader.
  private var directReads = 0
  /// The caller that the session's thread watches while it reads, identified by the value of `directReads`, and its
  /// time limit. Nil if no caller is watched.
  private var watch: (read: Int, end: ContinuousClock.Instant)?
  /// True if the caller that is reading has been asked to stop.
  private var isRecalled = false

  /// True if neither answers nor lines are expected, so that no thread needs to read.
  var isQuiet: Bool {
    calls.isEmpty && outbox.isEmpty && end == nil && pulse?.isAwaited != true && talkingCalls.isEmpty
  }

  /// Adds a call. Call this before its line is queued.
  mutating func add(_ call: PluginCall) {
    call.position = queuedBytes
    calls.append(call)
  }

  /// Sets the time at which a worker is killed after its transport has announced its end. Only the first time is kept.
  mutating func expectEnd(by deadline: ContinuousClock.Instant) { endDeadline = endDeadline ?? deadline }

  /// Ends the session. Only the first reason is kept.
  mutating func finish(_ reason: SessionEnd) { if end == nil { end = reason } }

  /// Removes and returns the call with this id, which has been answered. For an unknown id, returns nil and counts a
  /// stray message.
  ///
  /// After the last answer, reading stops. The caller continues immediately, and the next call needs no thread switch.
  mutating func answered(_ id: Int, limits: PluginLimits) -> PluginCall? {
    guard let index = calls.firstIndex(where: { $0.id == id }) else {
      countStray(limits: limits)
      return nil
    }
    let call = calls.remove(at: index)
    if call.context != nil { record(.answered) }
    if isQuiet { leaveReading() }
    return call
  }

  /// Records an event for the supervision, unless it has already been recorded.
  mutating func record(_ event: Supervision.Event) { if !events.contains(event) { events.append(event) } }

  /// Records that lines of a call may still arrive after its answer.
  mutating func expectLines(ofCall id: Int) {
    if let call = call(id) { talkingCalls[id] = call }
  }

  /// Returns an answered call that may still log lines, or nil if there is none with this id.
  func answeredCall(_ id: Int?) -> PluginCall? { id.flatMap { talkingCalls[$0] } }

  /// Makes the caller the reader. Returns true if the session's thread must be woken to watch the caller.
  mutating func beginDirectRead() -> Bool {
    reader = .caller
    directReads += 1
    return watch == nil
  }

  /// Ends the turn of the current reader. If calls are pending, the session's thread becomes the reader.
  mutating func leaveReading() {
    reader = isQuiet ? .nobody : .pump
    isRecalled = false
  }

  /// Counts a message that does not belong to a call. Ends the session if there are too many.
  mutating func countStray(limits: PluginLimits) {
    strays += 1
    if strays > limits.strayMessages { finish(.strayMessages(strays)) }
  }

  /// Starts the grace period of a cancelled call. Returns false if the session is ending, if the call is not pending or
  /// if it already has a deadline.
  mutating func startGrace(of id: Int, until deadline: ContinuousClock.Instant) -> Bool {
    guard end == nil, let call = call(id), call.deadline == nil else { return false }
    call.deadline = deadline
    return true
  }

  /// Returns the pending call with this id. Without an id, returns the oldest pending call that satisfies `fits`.
  func call(_ id: Int?, where fits: (PluginCall) -> Bool = { _ in true }) -> PluginCall? {
    if let id { return calls.first { $0.id == id } }
    return calls.filter(fits).min { $0.id < $1.id }
  }

  /// Returns the number of lines that the oldest pending call may still log, or 0 if no call is pending.
  func logRoom(limit: Int) -> Int { call(nil).map { max(0, limit - $0.logLines) } ?? 0 }

  /// Counts log lines of a call. Returns the number of lines within the limit. `passesLimit` is true when the limit is
  /// exceeded for the first time.
  mutating func countLogLines(_ count: Int, of call: PluginCall, limit: Int) -> (within: Int, passesLimit: Bool) {
    let before = call.logLines
    call.logLines = before + count
    return (min(count, max(0, limit - before)), before <= limit && before + count > limit)
  }

  /// Counts a progress message of a call. `passesLimit` is true for the first message beyond the limit.
  mutating func countProgress(of call: PluginCall, limit: Int) -> (isWithin: Bool, passesLimit: Bool) {
    let before = call.progressMessages
    call.progressMessages = before + 1
    return (before < limit, before == limit)
  }

  /// The next action of the session's thread.
  enum Plan: Sendable {
    /// End the program and finish all pending calls.
    case conclude
    /// Wait for an event or for a deadline.
    case wait(Wait)
  }

  /// The conditions that end the wait of the session's thread, in addition to wake-ups, log lines and the program's
  /// end.
  struct Wait: Sendable, Hashable {
    /// True if the thread must read the program's standard output.
    var readsOutput: Bool
    /// True if queued input must be written.
    var writesInput: Bool
    /// True if the caller that is reading must be asked to stop now.
    var recallsCaller: Bool
    /// True if a ping must be sent now.
    var sendsPing: Bool
    /// The latest time at which the wait must end, or nil if it has no limit.
    var deadline: ContinuousClock.Instant?
  }

  /// Applies the deadlines that have passed, and returns the next action of the session's thread.
  mutating func plan(at now: ContinuousClock.Instant, hasExited: Bool, limits: PluginLimits) -> Plan {
    if hasExited { finish(.exited) }
    if let reason = overdue(at: now, limits: limits) { finish(reason) }
    let isAsked = stopDeadline.map { $0 > now } ?? false
    let isOver = hasExited || (end != nil && !isAsked)
    if isOver {
      // A caller that is reading must stop first, because only one thread may read.
      guard case .caller = reader else {
        reader = .pump
        return .conclude
      }
    } else if case .pump = reader, isQuiet {
      reader = .nobody
    }
    let recallsCaller = recall(at: now, atOnce: isOver)
    let isReader = if case .pump = reader { true } else { false }
    return .wait(
      Wait(
        readsOutput: isReader, writesInput: !isOver && !outbox.isEmpty, recallsCaller: recallsCaller,
        sendsPing: end == nil && pulse?.isDue(at: now) == true,
        deadline: isOver ? now + Self.directTime : nextDeadline))
  }

  /// The maximum time for which a caller reads before it is asked to stop, and the interval at which this is checked. A
  /// caller's thread is therefore blocked for at most twice this time.
  static let directTime = Duration.milliseconds(1)

  /// True if the caller that is reading must be asked to stop.
  ///
  /// A caller polls without a timeout, because setting and clearing a system timer costs as much as a quick call.
  /// Instead, the session's thread checks the caller once per millisecond.
  private mutating func recall(at now: ContinuousClock.Instant, atOnce: Bool) -> Bool {
    let isReading = if case .caller = reader { true } else { false }
    if !isReading, watch?.read == directReads {
      watch = nil
    } else if watch?.read != directReads {
      watch = directReads == 0 ? nil : (directReads, now + Self.directTime)
    }
    guard isReading, !isRecalled, atOnce || (watch.map { $0.end <= now } ?? false) else { return false }
    isRecalled = true
    return true
  }

  private var nextDeadline: ContinuousClock.Instant? {
    let watchEnd = isRecalled ? nil : watch?.end
    let pulseEnd = end == nil ? pulse?.nextInstant : nil
    let announcedEnd = end == nil ? endDeadline : nil
    // After the program was asked to end, only `stopDeadline` applies.
    let callEnds = end == nil ? calls.map(\.deadline) : []
    return (callEnds + [stopDeadline, announcedEnd, watchEnd, pulseEnd]).compactMap(\.self).min()
  }

  private func overdue(at now: ContinuousClock.Instant, limits: PluginLimits) -> SessionEnd? {
    if let stopDeadline, stopDeadline <= now { return .stopped }
    if end == nil, let endDeadline, endDeadline <= now { return .announced }
    if end == nil, let pulse, pulse.isLost(at: now) { return .noPulse(pulse.rhythm.silence) }
    guard end == nil, let late = calls.first(where: { $0.deadline.map { $0 <= now } ?? false }) else { return nil }
    guard let context = late.context else { return .silentStart(limits.start) }
    return .ignoredCancel(step: "\(context.stepID)", limits.grace)
  }

  mutating func takeCalls() -> [PluginCall] {
    defer { (calls, talkingCalls) = ([], [:]) }
    return calls.sorted { $0.id < $1.id }
  }
}
