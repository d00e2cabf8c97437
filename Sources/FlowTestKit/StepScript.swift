import FlowModel

/// The behavior of a step in a simulated run, in place of an action.
package struct StepScript: Sendable, Hashable {
  /// The behavior of each attempt; further attempts repeat the last one. Never empty.
  package var attempts: [StepBehavior]
  /// True if the step's action is a service, which has finished when it is ready and continues to run.
  package var isService: Bool
  /// True if that service is a command, so that its dependents end with it.
  package var isCommandService = false
  /// The events that the step's action declares, even if it does not post them.
  package var declaredEvents: [String]
  /// The factors for `jitter: full` in 0..<1: the pause before attempt `n + 1` is multiplied by draw `n`. If empty,
  /// 0.5.
  package var draws: [Double]
  /// The script of each item, if the step has `foreach`. For posts, the scripts repeat.
  package var items: [StepScript] = []
  /// For an item: true if the step's `if` is false for it.
  package var isLeftOut = false

  /// Creates a script with these attempts.
  ///
  /// The events that the attempts post are declared even if they are not in `declaring`.
  package init(
    _ attempts: [StepBehavior], isService: Bool = false, declaring events: [String] = [], draws: [Double] = []
  ) {
    precondition(!attempts.isEmpty, "a script has at least one attempt")
    self.attempts = attempts
    self.isService = isService
    self.draws = draws
    declaredEvents = events
    for post in attempts.flatMap(\.posts) where !declaredEvents.contains(post.event) {
      declaredEvents.append(post.event)
    }
  }

  /// Returns a script of a step that succeeds after `duration`.
  package static func succeeds(after duration: Duration) -> StepScript { StepScript([.succeeds(after: duration)]) }

  /// Returns a script of a step whose attempts all fail after `duration`.
  package static func fails(after duration: Duration, retryable: Bool = true) -> StepScript {
    StepScript([.fails(after: duration, retryable: retryable)])
  }

  /// The events that the step or an item may post.
  package var possibleEvents: [String] { declaredEvents + items.flatMap(\.declaredEvents) }

  /// The script of an item.
  package func script(ofItem index: Int) -> StepScript { items.isEmpty ? self : items[index % items.count] }

  /// The behavior of attempt `number`, from 1.
  package func behavior(attempt number: Int) -> StepBehavior { attempts[min(number, attempts.count) - 1] }

  /// The factor for the pause after failed attempt `number`, from 1.
  package func draw(afterAttempt number: Int) -> Double { draws.isEmpty ? 0.5 : draws[min(number, draws.count) - 1] }
}

/// The behavior of one attempt of a scripted step. Times count from the start of the attempt.
package struct StepBehavior: Sendable, Hashable {
  /// The time until the body returns by itself, or nil if it never does.
  package var duration: Duration?
  /// The result of the body.
  package var ending: Ending
  /// The minimum pause before the next attempt that the error requests, or nil.
  package var retryAfter: Duration?
  /// The time until the body returns after it was asked to end, or nil if it ignores the request.
  package var respondsToCancellationAfter: Duration?
  /// The events that the attempt posts, in chronological order.
  package var posts: [ScriptedPost]
  /// The time until a service is ready, or nil if it never is. Ignored for other steps.
  package var readyAfter: Duration?

  /// The result of a body.
  package enum Ending: Sendable, Hashable {
    case success
    /// An error. If it is not retryable, the step ends with it.
    case failure(retryable: Bool)
  }

  /// Creates a behavior. By default, the body returns at once when it is asked to end.
  package init(
    duration: Duration?, ending: Ending = .success, respondsToCancellationAfter: Duration? = .zero,
    posts: [ScriptedPost] = [], readyAfter: Duration? = nil, retryAfter: Duration? = nil
  ) {
    self.duration = duration
    self.ending = ending
    self.respondsToCancellationAfter = respondsToCancellationAfter
    self.posts = posts
    self.readyAfter = readyAfter
    self.retryAfter = retryAfter
  }

  /// Returns an attempt that succeeds after `duration`.
  package static func succeeds(after duration: Duration) -> StepBehavior { StepBehavior(duration: duration) }

  /// Returns an attempt that fails after `duration`.
  package static func fails(after duration: Duration, retryable: Bool = true) -> StepBehavior {
    StepBehavior(duration: duration, ending: .failure(retryable: retryable))
  }

  /// Returns a service's attempt that is ready after `delay` and runs until it is asked to end.
  package static func ready(after delay: Duration) -> StepBehavior {
    StepBehavior(duration: nil, readyAfter: delay)
  }

  /// An attempt that never returns and ignores cancellation.
  package static let hangs = StepBehavior(duration: nil, respondsToCancellationAfter: nil)
}

/// An event that a scripted step posts.
package struct ScriptedPost: Sendable, Hashable {
  /// The time from the start of the attempt, no later than its end.
  package var after: Duration
  /// The event's name.
  public var event: String

  /// Creates a post of `event` after `after`.
  package init(after: Duration, _ event: String) {
    self.after = after
    self.event = event
  }
}
