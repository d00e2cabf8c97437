import FlowModel
import Synchronization

/// Time that only advances while a run waits, for tests of a launch with the app's own code.
///
/// ```swift
/// options.clock = VirtualClock()
/// let run = try engine.start(Workflows.launch, .init(), options: options)
/// #expect(await run.gate.openedAt == .milliseconds(200))
/// ```
/// While a body works, the clock stops. When all bodies have ended or wait with `ActionContext.sleep`, it advances to
/// the next instant at which something happens: a body wakes, a deadline passes, the gate opens. A body that waits in
/// another way stops the clock. Use ``RunOptions/announcedEvents`` for events that come at a certain time.
public final class VirtualClock: Sendable {
  private struct State {
    var now = 0
    var order = 0
    var alarms = Heap<Alarm>()
  }

  private let state = Mutex(State())

  /// Creates a clock at 0.
  public init() {}

  /// Nanoseconds since the clock was created.
  var now: Int { state.withLock { $0.now } }

  /// Calls `action` at an instant, on the task that advances the clock. With `isLast`, it is called after all others of
  /// its instant.
  func schedule(atNanoseconds nanoseconds: Int, isLast: Bool = false, _ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.order += 1
      let order = state.order + (isLast ? 1 << 62 : 0)
      state.alarms.insert(Alarm(atNanoseconds: nanoseconds, order: order, action: action))
    }
  }

  /// Advances to the next alarm and makes its call. Returns false if there is none.
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

  /// Advances the clock until the run has ended.
  func drive(_ run: WorkflowRun) async {
    // The real time that a body has to end after it was asked to, before the clock advances. A busy machine may delay
    // its thread for seconds.
    let patience = Duration.seconds(5)
    var end: ContinuousClock.Instant?
    while !run.hasEnded {
      switch run.activity {
      case .busy: end = nil
      case .ending where end.map { ContinuousClock.now < $0 } ?? true: end = end ?? .now + patience
      case .ending, .asleep:
        end = nil
        if advance() { continue }
        // Now only the app can cause an event.
        try? await Task.sleep(for: .milliseconds(1))
      }
      try? await Task.sleep(for: .microseconds(100))
    }
  }
}

/// The activity of a run on a ``VirtualClock``.
enum RunActivity {
  /// A body is running or about to run.
  case busy
  /// Bodies that were asked to end have not returned.
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
