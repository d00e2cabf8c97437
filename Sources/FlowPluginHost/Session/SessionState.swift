import FlowModel
import FlowPluginKit

/// The state of the conversation with one program: a value without descriptors, threads or clock.
struct SessionState: Sendable {
  /// The reader of the program's standard output.
  enum Reader: Sendable {
    /// No call is pending.
    case nobody
    /// The only caller, briefly, so that the answer needs no thread switch.
    case caller
    /// The session's thread.
    case pump
  }

  /// The pending calls, roughly in the order of their ids and answered from the front, so that a linear search is
  /// fastest.
  private(set) var calls: [PluginCall] = []
  /// Calls of a worker whose lines may follow their answer.
  private var talkingCalls: [Int: PluginCall] = [:]
  var reader = Reader.nobody
  /// Set once; afterwards nothing is sent.
  private(set) var end: SessionEnd?
  /// Set when the program has ended and was reaped.
  var isOver = false
  /// Why it is over.
  var endError: ActionError?
  var endedAt: ContinuousClock.Instant?
  /// What the program said of itself.
  var greeting: Value?
  /// What became of the calls of actions, each kind once.
  private(set) var events: [Supervision.Event] = []
  /// Whether a signal ended the program.
  var wasKilled = false
  /// The time at which a program that was asked to end is killed.
  var stopDeadline: ContinuousClock.Instant?
  /// The time at which a program that announced its end is killed.
  private var endDeadline: ContinuousClock.Instant?
  /// The number of bytes ever queued for the program.
  var queuedBytes = 0
  /// The bytes that its pipe has not accepted yet.
  var outbox: ArraySlice<UInt8> = []
  /// The heartbeats of a worker, or nil if none are requested.
  var pulse: SessionPulse?
  private var strays = 0
  /// The number of times that a caller has begun to read.
  private var directReads = 0
  /// The caller's read that the session's thread watches, and its time limit; nil while no caller reads.
  private var watch: (read: Int, end: ContinuousClock.Instant)?
  /// True if the reading caller has been asked to stop.
  private var isRecalled = false

  /// True if no call is pending, so that no reader is needed.
  var isQuiet: Bool {
    calls.isEmpty && outbox.isEmpty && end == nil && pulse?.isAwaited != true && talkingCalls.isEmpty
  }

  /// Adds a request whose line is about to be queued.
  mutating func add(_ call: PluginCall) {
    call.position = queuedBytes
    calls.append(call)
  }

  /// Sets the deadline for a program that has announced its end.
  mutating func expectEnd(by deadline: ContinuousClock.Instant) { endDeadline = endDeadline ?? deadline }

  /// Ends the conversation for `reason`; only the first reason is used.
  mutating func finish(_ reason: SessionEnd) { if end == nil { end = reason } }

  /// Removes and returns the answered call; counts an answer without one.
  ///
  /// The reader stops with the last call: its caller continues at once, and the next call finds no reader and needs no
  /// other thread.
  mutating func answered(_ id: Int, limits: PluginLimits) -> PluginCall? {
    guard let index = calls.firstIndex(where: { $0.id == id }) else {
      countStray(limits: limits)
      return nil
    }
    let call = calls.remove(at: index)
    if call.context != nil { note(.answered) }
    if isQuiet { leaveReading() }
    return call
  }

  /// Notes what became of a call.
  mutating func note(_ event: Supervision.Event) { if !events.contains(event) { events.append(event) } }

  /// Notes that lines of a call may follow its answer, until the conversation ends.
  mutating func expectLines(ofCall id: Int) {
    if let call = call(id) { talkingCalls[id] = call }
  }

  /// An answered call whose lines may follow, or nil.
  func answeredCall(_ id: Int?) -> PluginCall? { id.flatMap { talkingCalls[$0] } }

  /// Makes a caller the reader; returns true if the session's thread must be woken to watch it.
  mutating func beginDirectRead() -> Bool {
    reader = .caller
    directReads += 1
    return watch == nil
  }

  /// Ends the current reader's turn. The session's thread takes over reading unless nothing is pending.
  mutating func leaveReading() {
    reader = isQuiet ? .nobody : .pump
    isRecalled = false
  }

  /// Counts a message without a call; ends the conversation if there are too many.
  mutating func countStray(limits: PluginLimits) {
    strays += 1
    if strays > limits.strayMessages { finish(.strayMessages(strays)) }
  }

  /// Starts the grace period of a cancelled call; returns false if it was started before or the call has finished.
  mutating func startGrace(of id: Int, until deadline: ContinuousClock.Instant) -> Bool {
    guard end == nil, let call = call(id), call.deadline == nil else { return false }
    call.deadline = deadline
    return true
  }

  /// The call of a message with or without an id.
  ///
  /// Without an id it is the oldest call that satisfies `fits`.
  func call(_ id: Int?, where fits: (PluginCall) -> Bool = { _ in true }) -> PluginCall? {
    if let id { return calls.first { $0.id == id } }
    return calls.filter(fits).min { $0.id < $1.id }
  }

  /// The number of lines that the logging call may still write.
  func logRoom(limit: Int) -> Int { call(nil).map { max(0, limit - $0.logLines) } ?? 0 }

  /// Counts log lines of a call; returns the number within the limit, and whether they are the first to exceed it.
  mutating func countLogLines(_ count: Int, of call: PluginCall, limit: Int) -> (within: Int, passesLimit: Bool) {
    let before = call.logLines
    call.logLines = before + count
    return (min(count, max(0, limit - before)), before <= limit && before + count > limit)
  }

  /// Counts a progress message of a call.
  mutating func countProgress(of call: PluginCall, limit: Int) -> (isWithin: Bool, passesLimit: Bool) {
    let before = call.progressMessages
    call.progressMessages = before + 1
    return (before < limit, before == limit)
  }

  /// The next task of the session's thread.
  enum Plan: Sendable {
    /// End the program and finish all calls.
    case conclude
    /// Wait for an event or the deadline.
    case wait(Wait)
  }

  /// The events for which the session's thread waits, besides a wake-up, the log and the program's end.
  struct Wait: Sendable, Hashable {
    /// True if it reads the program's output.
    var readsOutput: Bool
    /// True if there is queued input.
    var writesInput: Bool
    /// True if the reading caller should stop now.
    var recallsCaller: Bool
    /// True if a heartbeat should be requested now.
    var sendsPing: Bool
    /// The time of the next timed event, or nil.
    var deadline: ContinuousClock.Instant?
  }

  /// Applies timed events and returns the next task of the session's thread.
  mutating func plan(at now: ContinuousClock.Instant, hasExited: Bool, limits: PluginLimits) -> Plan {
    if hasExited { finish(.exited) }
    if let reason = overdue(at: now, limits: limits) { finish(reason) }
    let isAsked = stopDeadline.map { $0 > now } ?? false
    let isOver = hasExited || (end != nil && !isAsked)
    if isOver {
      // A reading caller returns the output first; then only this thread reads.
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

  /// The time that a caller reads, and the interval for checking it: it occupies its thread for at most twice as long.
  static let directTime = Duration.milliseconds(1)

  /// True if the reading caller's time is over.
  ///
  /// A caller waits without a timeout, because setting and clearing a system timer costs as much as a quick call. While
  /// callers read, the session's thread checks once per millisecond instead.
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
    // Once the program is asked to end, `stopDeadline` applies to all of its calls.
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

  /// Removes and returns all pending calls.
  mutating func takeCalls() -> [PluginCall] {
    defer { (calls, talkingCalls) = ([], [:]) }
    return calls.sorted { $0.id < $1.id }
  }
}
