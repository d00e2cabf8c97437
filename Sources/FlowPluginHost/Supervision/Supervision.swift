import FlowModel

/// Decides whether a program that speaks the plugin protocol is started again after its end: a value without processes or
/// clock.
package struct Supervision: Sendable {
  /// The limits of one program.
  package struct Rules: Sendable, Hashable {
    /// Starts in a row without a finished call after which the program is given up.
    package var starts = PluginLimits().startsInARow
    /// True if the program serves one call, so that it is not started again once it has greeted.
    package var isOneTime = false
    /// The time for which a temporarily refused start is tried again.
    package var patience = Duration.zero

    /// The limits of a plugin's program.
    package init() {}
  }

  /// An event in the life of the program.
  package enum Event: Sendable {
    /// It was started.
    case started
    /// It greeted, and accepts calls.
    case greeted
    /// It answered a call.
    case answered
    /// It ended during a call, which has a limit of its own.
    case lostCall
    /// It ended without having read a call.
    case unreadCall
  }

  /// The reasons for which a program ends.
  package enum Ending: Sendable, Hashable {
    /// It ended, or did not greet.
    case other
    /// It would end the same way again.
    case lasting
    /// Its start was refused temporarily.
    case refused
  }

  /// The consequence of its end.
  package enum Decision: Sendable, Hashable {
    /// It is started again after a pause.
    case start(after: Duration)
    /// A refused start is tried again after a pause.
    case askAgain(after: Duration, isFirst: Bool)
    /// It is not started again.
    case giveUp
  }

  private static let freshPauses = GrowingPauses(first: .milliseconds(50), longest: .seconds(5))
  /// The end of a program that has been idle for so long does not count as a start without a finished call.
  private static let longEnough = Duration.seconds(30)

  private let rules: Rules
  /// The last starts in a row without a finished call.
  package private(set) var starts = 0
  private var greetedAt: ContinuousClock.Instant?
  private var hasAnswered = false
  private var hasUnreadCall = false
  private var pauses = Supervision.freshPauses
  private var refusals: GrowingPauses?

  /// Creates the supervision of a program that has not been started.
  package init(_ rules: Rules) { self.rules = rules }

  /// Records an event.
  package mutating func note(_ event: Event, at now: ContinuousClock.Instant) {
    switch event {
    case .started: (starts, greetedAt, hasAnswered, hasUnreadCall) = (starts + 1, nil, false, false)
    case .greeted: greetedAt = now
    case .answered: (starts, pauses, hasAnswered) = (0, Self.freshPauses, true)
    case .lostCall: starts = 0
    case .unreadCall: hasUnreadCall = true
    }
  }

  /// Returns the consequence of the program's end.
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
