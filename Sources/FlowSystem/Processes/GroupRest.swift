import Synchronization

/// The processes of a group that outlived its leader, which has been reaped. They have a moment to leave the group or
/// to end. Then they receive SIGTERM, and after another moment SIGKILL.
///
/// The system does not reuse the number of a group while the group has a process. If it has none, the system would have
/// to use every other number before it uses this one again.
struct GroupRest {
  let group: pid_t
  private let inner: InnerRuns.Command?
  private var deadline: ContinuousClock.Instant
  private var isAskedToEnd = false
  /// The number of consecutive scans that found only processes that have ended.
  private var endedLooks = 0

  /// The time that processes have to leave the group or to end after the leader, as `setsid server &` does. The same
  /// time passes between SIGTERM and SIGKILL.
  private static let time = Duration.milliseconds(200)
  /// A process that starts another one and ends may hide it from one scan of the processes, but not from two.
  private static let looksUntilEnded = 2

  init(group: pid_t, inner: InnerRuns.Command?) {
    self.group = group
    self.inner = inner
    deadline = .now + Self.time
  }

  /// True if the group has a process, even one that has ended and has not been reaped.
  var hasProcess: Bool { send(0, to: group) }

  /// Ends the group on this thread. Returns true if it had processes that did not end by themselves.
  mutating func end() -> Bool {
    var looks = ProcessLooks()
    while true {
      if let wasLeft = advance(looks.next()?[group]) { return wasLeft }
    }
  }

  /// Sends the signals that are due now.
  ///
  /// - Parameter activity: the result of a scan of all processes since the last call, or nil if there was none.
  /// - Returns: true if the group had processes that did not end by themselves, or nil while that is unknown.
  mutating func advance(_ activity: GroupActivity?) -> Bool? {
    if !hasProcess { return isAskedToEnd }
    if let activity { endedLooks = activity == .ended ? endedLooks + 1 : 0 }
    if endedLooks >= Self.looksUntilEnded { return isAskedToEnd }
    if ContinuousClock.now < deadline { return nil }
    // Looks are rare on a busy machine, so there may have been none since the processes ended.
    if !isAskedToEnd, ProcessLooks.activity(of: group) == .ended {
      endedLooks += 1
      return endedLooks >= Self.looksUntilEnded ? false : nil
    }
    if isAskedToEnd {
      _ = send(SIGKILL, to: group)
      return true
    }
    isAskedToEnd = true
    _ = send(SIGTERM, to: group)
    deadline = .now + max(Self.time, .milliseconds(inner?.milliseconds(in: group, others: false) ?? 0))
    return nil
  }
}

/// The state of the processes of a group, as found by a scan of all processes.
enum GroupActivity {
  /// Only processes that have ended and wait for their parent.
  case ended
  case running
}

/// Ends the remaining processes of all groups, on one thread that ends with the last of them.
///
/// If the first process of the system is slow to reap, processes that have ended still belong to their group. They do
/// not count as left behind. Only a scan of all processes shows this, and all groups share it.
final class GroupRests: Sendable {
  static let shared = GroupRests()

  private struct Waiting {
    var rest: GroupRest
    var done: @Sendable (Bool) -> Void
  }

  private struct State {
    var waiting: [Waiting] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Ends the remaining processes of a group. Calls `done` once, on any thread, with true if some did not end by
  /// themselves.
  func end(_ rest: GroupRest, _ done: @escaping @Sendable (Bool) -> Void) {
    let mustStart = state.withLock { state in
      state.waiting.append(Waiting(rest: rest, done: done))
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mustStart else { return }
    do throws(SystemError) {
      try DetachedThread.start(name: "group rests") { [self] in run() }
    } catch {
      // The system cannot create a thread.
      run()
    }
  }

  private func run() {
    var looks = ProcessLooks()
    while true {
      let (ended, isOver) = advance(looks.next())
      for (waiting, wasLeft) in ended { waiting.done(wasLeft) }
      if isOver { return }
    }
  }

  private func advance(_ found: [pid_t: GroupActivity]?) -> (ended: [(Waiting, Bool)], isOver: Bool) {
    state.withLock { state in
      var ended: [(Waiting, Bool)] = []
      var kept: [Waiting] = []
      for var waiting in state.waiting {
        if let wasLeft = waiting.rest.advance(found?[waiting.rest.group]) {
          ended.append((waiting, wasLeft))
        } else {
          kept.append(waiting)
        }
      }
      state.waiting = kept
      state.isRunning = !kept.isEmpty
      return (ended, kept.isEmpty)
    }
  }
}

/// Scans the groups of all processes, at intervals that leave most of the processor time to others.
struct ProcessLooks {
  private var nextLook = ContinuousClock.now + ProcessLooks.pause

  /// The time between two checks whether groups have any processes.
  private static let milliseconds: CInt = 2
  /// The minimum time between two scans of all processes. Most groups are empty before the first scan.
  private static let pause = Duration.milliseconds(10)
  /// The minimum time between two scans as a multiple of the duration of the last one.
  private static let longest = 8

  /// Waits for a moment. Returns the groups found by a scan of all processes, or nil if no scan was due. The result is
  /// empty if the system does not list processes.
  mutating func next() -> [pid_t: GroupActivity]? {
    _ = poll(nil, 0, Self.milliseconds)
    let start = ContinuousClock.now
    if start < nextLook { return nil }
    let found = Self.all()
    let end = ContinuousClock.now
    nextLook = end + max(Self.pause, (end - start) * Self.longest)
    return found
  }

  /// Looks through all processes now, for one group.
  static func activity(of group: pid_t) -> GroupActivity? { all()[group] }

  private static func all() -> [pid_t: GroupActivity] {
    var found: [pid_t: GroupActivity] = [:]
    for process in ProcessTable.numbers {
      guard let entry = ProcessTable.entry(of: process) else { continue }
      if !entry.hasEnded {
        found[entry.group] = .running
      } else if found[entry.group] == nil {
        found[entry.group] = .ended
      }
    }
    return found
  }
}

/// Sends a signal to a group. Returns false if it has no process.
private func send(_ signal: CInt, to group: pid_t) -> Bool { kill(-group, signal) == 0 }
