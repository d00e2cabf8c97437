import FlowModel

/// Decides whether a program that uses the plugin protocol is started again after it has ended. It starts no processes
/// and reads no clock.
package struct Supervision: Sendable {
  /// The limits on starts without success.
  package struct Rules: Sendable, Hashable {
    /// The number of consecutive starts without a finished call after which the supervisor gives up.
    package var starts = PluginLimits().startsInARow
    /// True if the program runs only one call. Once it has answered `initialize`, it is not started again.
    package var isOneTime = false
    /// The maximum time for which a temporarily refused start is repeated.
    package var patience = Duration.zero

    package init() {}
  }

  /// An event that affects whether the program is started again.
  package enum Event: Sendable {
    /// The program was started.
    case started
    /// The program answered `initialize` and accepts calls.
    case greeted
    /// The program answered a call.
    case answered
    /// The program ended during a call. The number of lost calls is limited elsewhere.
    case lostCall
    /// The program ended before it read a call.
    case unreadCall
  }

  /// The reason why a program ended, as far as it affects the decision.
  package enum Ending: Sendable, Hashable {
    /// The program ended or did not answer `initialize`, and none of the other cases applies.
    case other
    /// The program would fail in the same way again.
    case lasting
    /// The start was temporarily refused.
    case refused
  }

  /// The decision after a program has ended.
  package enum Decision: Sendable, Hashable {
    /// The program is started again after a pause.
    case start(after: Duration)
    /// A refused start is repeated after a pause.
    case askAgain(after: Duration, isFirst: Bool)
    /// The program is not started again.
    case giveUp
  }

  private static let freshPauses = GrowingPauses(first: .milliseconds(50), longest: .seconds(5))
  /// If a program has run longer than this after its greeting and has read all calls, its end does not count as a start
  /// without a finished call.
  private static let longEnough = Duration.seconds(30)

  private let rules: Rules
  /// The number of consecutive starts without a finished call.
  package private(set) var starts = 0
  private var greetedAt: ContinuousClock.Instant?
  private var hasAnswered = false
  private var hasUnreadCall = false
  private var pauses = Supervision.freshPauses
  private var refusals: GrowingPauses?

  package init(_ rules: Rules) { self.rules = rules }

  package mutating func record(_ event: Event, at now: ContinuousClock.Instant) {
    switch event {
    case .started: (starts, greetedAt, hasAnswered, hasUnreadCall) = (starts + 1, nil, false, false)
    case .greeted: greetedAt = now
    case .answered: (starts, pauses, hasAnswered) = (0, Self.freshPauses, true)
    case .lostCall: starts = 0
    case .unreadCall: hasUnreadCall = true
    }
  }

  /// Decides whether the program is started again after its end.
  package mutating func end(_ ending: Ending, at now: ContinuousClock.Instant) -> Decision {
    if ending == .refused, greetedAt == nil {
      let isFirst = refusals == nil
      var pauses = refusals ?? GrowingPauses(limit: rules.patience, from: now)
      defer { refusals = pauses }
      if let pause = pauses.next(at: now) {
        starts -= 1
        return .askAgain(after: pause, isFirst: isFirst)
      }
    } else {
      refusals = nil
    }
    if let greetedAt, !hasUnreadCall, now - greetedAt > Self.longEnough { starts = 0 }
    if ending == .lasting || starts >= rules.starts || rules.isOneTime && greetedAt != nil { return .giveUp }
    return .start(after: hasAnswered ? .zero : pauses.next(at: now) ?? .zero)
  }
}
