import FlowModel
import Synchronization

/// Time that passes only while a run waits for nothing else, for tests of a launch with the app's own code.
///
/// ```swift
/// options.clock = VirtualClock()
/// let run = try engine.start(Workflows.launch, .init(), options: options)
/// #expect(await run.gate.openedAt == .milliseconds(200))
/// ```
/// While a body works, the clock stands still. When all bodies have ended, or wait with `ActionContext.sleep`, it moves to the
/// next instant at which something happens: a body wakes, a deadline passes, the gate opens. A body that waits in another way
/// holds the clock. Events that come at a time belong into ``RunOptions/announcedEvents``.
public final class VirtualClock: Sendable {
  private struct State {
    var now = 0
    var order = 0
    var alarms = Heap<Alarm>()
  }

  private let state = Mutex(State())

  /// A clock at 0.
  public init() {}

  /// Nanoseconds since the clock was made.
  var now: Int { state.withLock { $0.now } }

  /// Calls `action` at an instant, on the task that moves the clock; an action that is `isLast` follows all others of its
  /// instant.
  func schedule(atNanoseconds nanoseconds: Int, isLast: Bool = false, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.order += 1
      let order = state.order + (isLast ? 1 << 62 : 0)
      state.alarms.insert(Alarm(atNanoseconds: nanoseconds, order: order, action: action))
    }
  }

  /// Moves to the next alarm and makes the call; false when there is none.
  private func advance() -> Bool {
    let alarm = state.withLock { state -> Alarm? in
      guard let first = state.alarms.first else { return nil }
      _ = state.alarms.removeFirst()
      state.now = max(state.now, first.atNanoseconds)
      return first
    }
    alarm?.action()
    return alarm != nil
  }

  /// Moves the clock until the run has ended.
  func drive(_ run: WorkflowRun) async {
    // How long a body that was told to end gets to do so, before the clock moves nevertheless: a busy machine may keep its
    // thread waiting for seconds.
    let patience = Duration.seconds(5)
    var end: ContinuousClock.Instant?
    while !run.hasEnded {
      switch run.activity {
      case .busy: end = nil
      case .ending where end.map { ContinuousClock.now < $0 } ?? true: end = end ?? .now + patience
      case .ending, .asleep:
        end = nil
        if advance() { continue }
        // Only the app can make something happen now.
        try? await Task.sleep(for: .milliseconds(1))
      }
      try? await Task.sleep(for: .microseconds(100))
    }
  }
}

/// What a run on a ``VirtualClock`` does.
enum RunActivity {
  /// A body works, or is about to.
  case busy
  /// Bodies that were told to end have not returned.
  case ending
  /// Nothing happens before the next alarm.
  case asleep
}

extension WorkflowRun {
  var hasEnded: Bool { state.withLock { $0.ended != nil } }

  var activity: RunActivity {
    withPlan { state in
      if state.plan.queuedSteps > 0 || state.plan.counts.deciding > 0 || state.plan.hasEffects { return .busy }
      let isWorking = state.plan.awaitedHere.contains { body in
        state.sleeping[RunState.taskKey(body.step, body.attempt), default: 0] == 0
      }
      if isWorking { return .busy }
      return state.plan.hasEndingBodies ? .ending : .asleep
    }
  }
}
