import FlowModel
import Testing

@testable import FlowPluginHost

/// Decides, event by event, whether a program is started again.
struct SupervisionTests {
  private let start = ContinuousClock.now
  private var now: ContinuousClock.Instant
  private var supervision = Supervision(Supervision.Rules())

  init() { now = start }

  /// Records events at the current time of the test.
  private mutating func note(_ events: Supervision.Event...) {
    for event in events { supervision.record(event, at: now) }
  }

  private mutating func end(_ ending: Supervision.Ending = .other) -> Supervision.Decision {
    supervision.end(ending, at: now)
  }

  @Test mutating func `a plugin's program that dies after its greeting is started at most three times`() {
    note(.started, .greeted)
    #expect(end() == .start(after: .milliseconds(50)))
    note(.started, .greeted)
    #expect(end() == .start(after: .milliseconds(100)))
    note(.started, .greeted)
    #expect(end() == .giveUp)
    #expect(supervision.starts == 3)
  }

  @Test mutating func `a plugin's program that does not greet is started at most three times`() {
    note(.started)
    #expect(end() == .start(after: .milliseconds(50)))
    note(.started)
    #expect(end() == .start(after: .milliseconds(100)))
    note(.started)
    #expect(end() == .giveUp)
  }

  @Test mutating func `an answered call resets the number of a program's starts and the pauses between them`() {
    for _ in 1...10 {
      note(.started, .greeted, .answered)
      #expect(end() == .start(after: .zero))
      note(.started)
      #expect(end() == .start(after: .milliseconds(50)))
      note(.started, .greeted)
      #expect(end() == .start(after: .milliseconds(100)))
    }
  }

  @Test mutating func `a call that ends its plugin does not count as a failed start, and pauses grow to 5 s`() {
    var pauses: [Duration] = []
    for _ in 1...10 {
      note(.started, .greeted, .lostCall)
      if case .start(let pause) = end() { pauses.append(pause) }
    }
    #expect(
      pauses == [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000].map { Duration.milliseconds($0) })
  }

  @Test mutating func `an idle program that ends after more than 30 s resets the number of its starts`() {
    for _ in 1...10 {
      note(.started, .greeted)
      now += .seconds(31)
      #expect(end() != .giveUp)
    }
    #expect(supervision.starts == 0)
    note(.started, .greeted)
    now += .seconds(30)
    _ = end()
    #expect(supervision.starts == 1)
  }

  @Test mutating func `a plugin's program that never reads a call is started at most three times`() {
    for _ in 1...2 {
      note(.started, .greeted, .unreadCall)
      now += .seconds(600)
      #expect(end() != .giveUp)
    }
    note(.started, .greeted, .unreadCall)
    now += .seconds(600)
    #expect(end() == .giveUp)
  }

  @Test mutating func `a plugin's program with a permanent failure is not started again`() {
    note(.started)
    #expect(end(.lasting) == .giveUp)
    #expect(supervision.starts == 1)
  }

  @Test mutating func `a plugin's program that handles a single call is not restarted once it has greeted`() {
    var rules = Supervision.Rules()
    rules.isOneTime = true
    supervision = Supervision(rules)
    note(.started)
    #expect(end() == .start(after: .milliseconds(50)))
    note(.started, .greeted, .answered)
    #expect(end() == .giveUp)
  }

  @Test mutating func `a refused start of a plugin counts as a failed start only after retries for 3 s`() {
    var rules = Supervision.Rules()
    rules.patience = .seconds(3)
    supervision = Supervision(rules)
    for (pause, isFirst) in [(500, true), (1000, false), (1500, false)] {
      note(.started)
      #expect(end(.refused) == .askAgain(after: .milliseconds(pause), isFirst: isFirst))
      now += .milliseconds(pause)
    }
    for pause in [50, 100] {
      note(.started)
      #expect(end(.refused) == .start(after: .milliseconds(pause)))
    }
    note(.started)
    #expect(end(.refused) == .giveUp)
    #expect(supervision.starts == 3)
  }

  @Test mutating func `when a plugin's start is not refused, the time limit for refused starts is reset`() {
    var rules = Supervision.Rules()
    rules.patience = .seconds(3)
    supervision = Supervision(rules)
    note(.started)
    #expect(end(.refused) == .askAgain(after: .milliseconds(500), isFirst: true))
    note(.started, .greeted, .answered)
    #expect(end() == .start(after: .zero))
    now += .seconds(60)
    note(.started)
    #expect(end(.refused) == .askAgain(after: .milliseconds(500), isFirst: true))
  }
}
