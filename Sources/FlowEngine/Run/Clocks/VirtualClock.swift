import FlowModel
import Synchronization

/// A clock that advances only while a run waits. With it, tests run a launch with the app's own code without waiting.
///
/// ```swift
/// options.clock = VirtualClock()
/// let run = try engine.start(Workflows.launch, .init(), options: options)
/// #expect(await run.gate.openedAt == .milliseconds(200))
/// ```
/// The clock does not advance while a body works. When all bodies have ended or wait in `ActionContext.sleep`, it
/// advances to the time of the next change: a body wakes, a deadline passes, or the gate opens. A body that waits in
/// another way stops the clock. For events at a given time, use ``RunOptions/announcedEvents``.
public final class VirtualClock: Sendable {
  private struct State {
    var now = 0
    var order = 0
    var alarms = Heap<Alarm>()
  }

  private let state = Mutex(State())

  /// Creates a clock that starts at 0.
  public init() {}

  /// The time since the clock was created, in nanoseconds.
  var now: Int { state.withLock { $0.now } }

  /// Calls `action` at `nanoseconds`, in the task that advances the clock. If `isLast` is true, it is called after all
  /// other actions of the same time.
  func schedule(atNanoseconds nanoseconds: Int, isLast: Bool = false, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.order += 1
      let order = state.order + (isLast ? 1 << 62 : 0)
      state.alarms.insert(Alarm(atNanoseconds: nanoseconds, order: order, action: action))
    }
  }

  /// Advances to the time of the next action and calls it. Returns false if there is none.
  func advance() -> Bool {
    let alarm = state.withLock { state -> Alarm? in
      guard let first = state.alarms.first else { return nil }
      _ = state.alarms.removeFirst()
      state.now = max(state.now, first.atNanoseconds)
      return first
    }
    alarm?.action()
    return alarm != nil
  }

  /// Advances the clock until the run has ended.
  func drive(_ run: WorkflowRun) async {
    // The real time that bodies have to end after they were asked to, before the clock advances. It is long, because
    // their threads may be delayed for seconds on a busy machine.
    let patience = Duration.seconds(5)
    var end: ContinuousClock.Instant?
    while !run.hasEnded {
      switch run.activity {
      case .busy: end = nil
      case .ending where end.map { ContinuousClock.now < $0 } ?? true: end = end ?? .now + patience
      case .ending, .asleep:
        end = nil
        if advance() { continue }
        // Only the app can cause another event now, so wait for it.
        try? await Task.sleep(for: .milliseconds(1))
      }
      try? await Task.sleep(for: .microseconds(100))
    }
  }
}

/// The activity of the bodies in a run with a ``VirtualClock``.
enum RunActivity {
  /// A body is running or about to run.
  case busy
  /// Bodies that were asked to end have not returned, and no other body is running.
  case ending
  /// All bodies sleep or have ended, so nothing happens before the next action of the clock.
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
