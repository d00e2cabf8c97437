import FlowModel
import FlowPluginKit

/// What is known of the conversation with one program: a value without descriptors, threads or clock.
struct SessionState: Sendable {
  /// The reader of the program's standard output.
  enum Reader: Sendable {
    /// No call is under way.
    case nobody
    /// The only caller, for a moment: the answer then costs no change of threads.
    case caller
    /// The session's own thread.
    case pump
  }

  /// The calls under way, mostly in the order of their ids and answered from the front: a scan finds them fastest.
  private(set) var calls: [PluginCall] = []
  /// Calls of a worker whose lines may follow their answer.
  private var talkingCalls: [Int: PluginCall] = [:]
  var reader = Reader.nobody
  /// Set once; from then on nothing is sent.
  private(set) var end: SessionEnd?
  /// Set when everything is over and the program reaped.
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
  /// When a program that was asked to end is killed.
  var stopDeadline: ContinuousClock.Instant?
  /// When a program that said that it is about to end is killed.
  private var endDeadline: ContinuousClock.Instant?
  /// All bytes ever meant for the program.
  var queuedBytes = 0
  /// Those that its pipe had no room for yet.
  var outbox: ArraySlice<UInt8> = []
  /// The heartbeats of a worker; nil: none are asked for.
  var pulse: SessionPulse?
  private var strays = 0
  /// How often a caller has begun to read.
  private var directReads = 0
  /// Which of these the session's thread watches, and when it should be over; nil while no caller reads now and then.
  private var watch: (read: Int, end: ContinuousClock.Instant)?
  /// Whether the caller that reads has been asked to leave it.
  private var isRecalled = false

  /// Whether nothing is under way, so that no reader is needed.
  var isQuiet: Bool {
    calls.isEmpty && outbox.isEmpty && end == nil && pulse?.isAwaited != true && talkingCalls.isEmpty
  }

  /// Notes a request whose line is about to be queued.
  mutating func add(_ call: PluginCall) {
    call.position = queuedBytes
    calls.append(call)
  }

  /// The program says that it is about to end.
  mutating func expectEnd(by deadline: ContinuousClock.Instant) { endDeadline = endDeadline ?? deadline }

  /// Ends the conversation for `reason`; the first reason counts.
  mutating func finish(_ reason: SessionEnd) { if end == nil { end = reason } }

  /// Takes the answered call out; counts an answer to none.
  ///
  /// The reader stops with the last call: its caller continues at once, and the next call finds no reader and
  /// needs no other thread.
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

  /// An answered call whose lines may follow.
  func answeredCall(_ id: Int?) -> PluginCall? { id.flatMap { talkingCalls[$0] } }

  /// Makes a caller the reader; whether the session's thread must be woken to watch over it.
  mutating func beginDirectRead() -> Bool {
    reader = .caller
    directReads += 1
    return watch == nil
  }

  /// Ends the turn of who reads: the session's thread continues where something is under way.
  mutating func leaveReading() {
    reader = isQuiet ? .nobody : .pump
    isRecalled = false
  }

  /// Counts a message that belongs to no call; ends the conversation when there are too many.
  mutating func countStray(limits: PluginLimits) {
    strays += 1
    if strays > limits.strayMessages { finish(.strayMessages(strays)) }
  }

  /// Starts the grace of a call that should be given up; false when that has happened or the call is over.
  mutating func startGrace(of id: Int, until deadline: ContinuousClock.Instant) -> Bool {
    guard end == nil, let call = call(id), call.deadline == nil else { return false }
    call.deadline = deadline
    return true
  }

  /// The call that a message without, or with, an id belongs to.
  ///
  /// Without one it is the oldest call for which `fits` holds.
  func call(_ id: Int?, where fits: (PluginCall) -> Bool = { _ in true }) -> PluginCall? {
    if let id { return calls.first { $0.id == id } }
    return calls.filter(fits).min { $0.id < $1.id }
  }

  /// How many more lines the call that logs may write.
  func logRoom(limit: Int) -> Int { call(nil).map { max(0, limit - $0.logLines) } ?? 0 }

  /// Counts log lines of a call: how many of them are within the limit, and whether they are the first to pass it.
  mutating func countLogLines(_ count: Int, of call: PluginCall, limit: Int) -> (within: Int, passesLimit: Bool) {
    let before = call.logLines
    call.logLines = before + count
    return (min(count, max(0, limit - before)), before <= limit && before + count > limit)
  }

  /// Counts a message about the progress of a call.
  mutating func countProgress(of call: PluginCall, limit: Int) -> (isWithin: Bool, passesLimit: Bool) {
    let before = call.progressMessages
    call.progressMessages = before + 1
    return (before < limit, before == limit)
  }

  /// What the session's thread does next.
  enum Plan: Sendable {
    /// End the program and tell every call how it ended.
    case conclude
    /// Wait until something comes or the deadline has passed.
    case wait(Wait)
  }

  /// What the session's thread waits for, besides being woken, the log and the program's end.
  struct Wait: Sendable, Hashable {
    /// Whether it is the reader of the program's output.
    var readsOutput: Bool
    /// Whether something waits to be written.
    var writesInput: Bool
    /// Whether the caller that reads is to leave it now.
    var recallsCaller: Bool
    /// Whether a heartbeat should be asked for now.
    var sendsPing: Bool
    /// When something is to happen by itself; nil: never.
    var deadline: ContinuousClock.Instant?
  }

  /// Applies what has happened by itself and says what the session's thread does next.
  mutating func plan(at now: ContinuousClock.Instant, hasExited: Bool, limits: PluginLimits) -> Plan {
    if hasExited { finish(.exited) }
    if let reason = overdue(at: now, limits: limits) { finish(reason) }
    let isAsked = stopDeadline.map { $0 > now } ?? false
    let isOver = hasExited || (end != nil && !isAsked)
    if isOver {
      // A caller that reads gives the output back first; then all is in one hand.
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

  /// How long a caller reads for itself, and until that is looked at: it holds its thread for at most twice as long.
  static let directTime = Duration.milliseconds(1)

  /// Whether the caller that reads has had its time.
  ///
  /// A caller waits without a time limit of its own, as to set and clear the system's timer costs as much as a quick call.
  /// As long as callers read, the session's thread looks once a millisecond instead.
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
    // Once the program is asked to end, it has until `stopDeadline` for all its calls.
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

  /// All calls that are under way; none is from then on.
  mutating func takeCalls() -> [PluginCall] {
    defer { (calls, talkingCalls) = ([], [:]) }
    return calls.sorted { $0.id < $1.id }
  }
}
