import Synchronization

/// The processes that remain in a group after its leader has ended and been reaped. They have a short time to leave the
/// group or to end. Then they receive SIGTERM and, if they have not ended after another wait, SIGKILL.
///
/// The system does not reuse the number of a group that contains a process. If the group is empty, the system uses all
/// other numbers before it reuses this one.
struct GroupRest {
  let group: pid_t
  private let inner: InnerRuns.Command?
  private var deadline: ContinuousClock.Instant
  private var isAskedToEnd = false
  /// The number of consecutive scans in which all processes of the group had ended.
  private var endedLooks = 0

  /// The time within which processes must leave the group or end after their leader, as in `setsid server &`. The same
  /// time passes between SIGTERM and SIGKILL.
  private static let time = Duration.milliseconds(200)
  /// The number of consecutive scans without a running process after which the group counts as ended. A process that
  /// starts another one and then ends can hide it from one scan, but not from two.
  private static let looksUntilEnded = 2

  init(group: pid_t, inner: InnerRuns.Command?) {
    self.group = group
    self.inner = inner
    deadline = .now + Self.time
  }

  /// True if the group contains a process. A process that has ended but has not been reaped counts.
  var hasProcess: Bool { send(0, to: group) }

  /// Ends the group, blocking this thread until it has ended. Returns true if some of its processes had to be asked to
  /// end.
  mutating func end() -> Bool {
    var looks = ProcessLooks()
    while true {
      if let wasLeft = advance(looks.next()?[group]) { return wasLeft }
    }
  }

  /// Sends the signals that are due.
  ///
  /// - Parameter activity: The result of a scan of all processes since the last call, or nil if there was none.
  /// - Returns: True if some processes had to be asked to end, or nil while that is unknown.
  mutating func advance(_ activity: GroupActivity?) -> Bool? {
    if !hasProcess { return isAskedToEnd }
    if let activity { endedLooks = activity == .ended ? endedLooks + 1 : 0 }
    if endedLooks >= Self.looksUntilEnded { return isAskedToEnd }
    if ContinuousClock.now < deadline { return nil }
    // Scans are rare on a busy machine, so there may have been none since the processes ended.
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

/// The state of a group's processes, as found by a scan of all processes.
enum GroupActivity {
  /// All processes have ended and have not been reaped.
  case ended
  case running
}

/// Ends the remaining processes of all groups on one thread, which ends after the last of them.
///
/// If the system's first process is slow to reap, processes that have ended still belong to their group. They do not
/// count as left behind. Only a scan of all processes can detect that, so all groups share the scans.
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

  /// Ends the remaining processes of a group. Calls `done` once, on any thread, with true if some of them had to be
  /// asked to end.
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
      // The system cannot create a thread, so this thread does the work.
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

/// Scans all processes for their groups. The intervals between scans leave most of the processor time to others.
struct ProcessLooks {
  private var nextLook = ContinuousClock.now + ProcessLooks.pause

  /// The time between two checks whether a group still has processes, in milliseconds.
  private static let milliseconds: CInt = 2
  /// The minimum time between two scans of all processes. Most groups are empty before the first scan.
  private static let pause = Duration.milliseconds(10)
  /// The minimum time between two scans, as a multiple of the time that the last scan took.
  private static let longest = 8

  /// Waits briefly, then scans all processes if a scan is due. Returns the groups that it found, or nil if no scan was
  /// due. The result is empty if the system does not list processes.
  mutating func next() -> [pid_t: GroupActivity]? {
    _ = poll(nil, 0, Self.milliseconds)
    let start = ContinuousClock.now
    if start < nextLook { return nil }
    let found = Self.all()
    let end = ContinuousClock.now
    nextLook = end + max(Self.pause, (end - start) * Self.longest)
    return found
  }

  /// Scans all processes and returns the state of one group, or nil if it has no process.
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

/// Sends a signal to a group. Returns false if the group has no process.
private func send(_ signal: CInt, to group: pid_t) -> Bool { kill(-group, signal) == 0 }
