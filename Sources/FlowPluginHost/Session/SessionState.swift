import FlowModel
import FlowPluginKit

/// What is known of the conversation with one program: a value without descriptors, threads or clock.
struct SessionState: Sendable {
  /// Who reads the program's standard output.
  enum Reader: Sendable {
    /// Nobody: no call is under way.
    case nobody
    /// The only caller, for a moment: the answer then costs no change of threads.
    case caller
    /// The session's own thread.
    case pump
  }

  private(set) var calls: [Int: PluginCall] = [:]
  var reader = Reader.nobody
  /// Set once; from then on nothing is sent.
  private(set) var end: SessionEnd?
  /// Set when everything is over and the program reaped.
  var isOver = false
  /// When a program that was asked to end is killed.
  var stopDeadline: ContinuousClock.Instant?
  /// All bytes ever meant for the program.
  var queuedBytes = 0
  /// Those that its pipe had no room for yet.
  var outbox: ArraySlice<UInt8> = []
  private var strays = 0

  /// Notes a request whose line is about to be queued.
  mutating func add(_ call: PluginCall, id: Int) { calls[id] = call }

  /// Ends the conversation for `reason`; the first reason counts.
  mutating func finish(_ reason: SessionEnd) { if end == nil { end = reason } }

  /// Takes the answered call out; counts an answer to none.
  mutating func answered(_ id: Int, limits: PluginLimits) -> PluginCall? {
    if let call = calls.removeValue(forKey: id) { return call }
    countStray(limits: limits)
    return nil
  }

  /// Counts a message that belongs to no call; ends the conversation when there are too many.
  mutating func countStray(limits: PluginLimits) {
    strays += 1
    if strays > limits.strayMessages { finish(.strayMessages(strays)) }
  }

  /// Starts the grace of a call that is to be given up; false when that has happened or the call is over.
  mutating func startGrace(of id: Int, until deadline: ContinuousClock.Instant) -> Bool {
    guard end == nil, calls[id] != nil, calls[id]?.deadline == nil else { return false }
    calls[id]?.deadline = deadline
    return true
  }

  /// The call that a message without, or with, an id belongs to.
  ///
  /// Without one it is the oldest call for which `fits` holds.
  func call(_ id: Int?, where fits: (PluginCall) -> Bool = { _ in true }) -> (id: Int, call: PluginCall)? {
    if let id { return calls[id].map { (id, $0) } }
    return calls.filter { fits($0.value) }.min { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// How many more lines the call that logs may write.
  func logRoom(limit: Int) -> Int { call(nil).map { max(0, limit - $0.call.logLines) } ?? 0 }

  /// Counts log lines of a call: how many of them are within the limit, and whether they are the first to pass it.
  mutating func countLogLines(_ count: Int, of id: Int, limit: Int) -> (within: Int, passesLimit: Bool) {
    guard let before = calls[id]?.logLines else { return (0, false) }
    calls[id]?.logLines = before + count
    return (min(count, max(0, limit - before)), before <= limit && before + count > limit)
  }

  /// Counts a message about the progress of a call.
  mutating func countProgress(of id: Int, limit: Int) -> (isWithin: Bool, passesLimit: Bool) {
    guard let before = calls[id]?.progressMessages else { return (false, false) }
    calls[id]?.progressMessages = before + 1
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
    /// When something is to happen by itself; nil: never.
    var deadline: ContinuousClock.Instant?
  }

  /// Applies what has happened by itself and says what the session's thread does next.
  mutating func plan(at now: ContinuousClock.Instant, hasExited: Bool, limits: PluginLimits) -> Plan {
    if hasExited { finish(.exited) }
    if let reason = overdue(at: now, limits: limits) { finish(reason) }
    let isAsked = stopDeadline.map { $0 > now } ?? false
    if hasExited || (end != nil && !isAsked) {
      // A caller that reads gives the output back within its moment; then all is in one hand.
      if case .caller = reader {
        return .wait(Wait(readsOutput: false, writesInput: false, deadline: now + .milliseconds(1)))
      }
      reader = .pump
      return .conclude
    }
    if case .pump = reader, calls.isEmpty, outbox.isEmpty, end == nil { reader = .nobody }
    let isReader = if case .pump = reader { true } else { false }
    return .wait(Wait(readsOutput: isReader, writesInput: !outbox.isEmpty, deadline: nextDeadline))
  }

  private var nextDeadline: ContinuousClock.Instant? {
    let deadlines = calls.values.compactMap(\.deadline)
    return (stopDeadline.map { deadlines + [$0] } ?? deadlines).min()
  }

  private func overdue(at now: ContinuousClock.Instant, limits: PluginLimits) -> SessionEnd? {
    if let stopDeadline, stopDeadline <= now { return .stopped }
    guard let late = calls.values.first(where: { $0.deadline.map { $0 <= now } ?? false }) else { return nil }
    switch late.request {
    case .initialize: return .silentStart(limits.start)
    case .run(_, let context): return .ignoredCancel(step: "\(context.stepID)", limits.grace)
    }
  }

  /// All calls that are under way; none is from then on.
  mutating func takeCalls() -> [PluginCall] {
    defer { calls = [:] }
    return calls.sorted { $0.key < $1.key }.map(\.value)
  }
}
