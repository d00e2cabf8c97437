import FlowModel

/// The scripted behavior of a step in a simulated run. It replaces an action.
package struct StepScript: Sendable, Hashable {
  /// The behavior of each attempt. Further attempts repeat the last one. Must not be empty.
  package var attempts: [StepBehavior]
  /// True if the step is a service, which counts as finished once it is ready but continues to run.
  package var isService: Bool
  /// True if the service is a command. If it ends on its own, the running steps that depend on it are cancelled.
  package var isCommandService = false
  /// The events that the step's action declares, whether it posts them or not.
  package var declaredEvents: [String]
  /// The random factors from 0 to 1 for `jitter: full`. The first factor applies to the pause after the first attempt,
  /// and so on; the last one applies to all further pauses. Without factors, 0.5 is used.
  package var draws: [Double]
  /// The scripts of the items if the step has `foreach`. If there are more items, the scripts repeat.
  package var items: [StepScript] = []
  /// True if this is the script of an item for which the step's `if` is false.
  package var isLeftOut = false

  /// Creates a script from the behaviors of its attempts.
  ///
  /// The events that the attempts post are declared in addition to `events`.
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

  /// The events that the step or its items may post.
  package var possibleEvents: [String] { declaredEvents + items.flatMap(\.declaredEvents) }

  /// Returns the script of an item, or that of the step if items have no scripts.
  package func script(ofItem index: Int) -> StepScript { items.isEmpty ? self : items[index % items.count] }

  /// Returns the behavior of an attempt. Attempts are numbered from 1.
  package func behavior(attempt number: Int) -> StepBehavior { attempts[min(number, attempts.count) - 1] }

  /// Returns the random factor for the pause after a failed attempt. Attempts are numbered from 1.
  package func draw(afterAttempt number: Int) -> Double { draws.isEmpty ? 0.5 : draws[min(number, draws.count) - 1] }
}

/// The behavior of one attempt. Times count from the start of the attempt.
package struct StepBehavior: Sendable, Hashable {
  /// The time until the body returns, or nil if it runs until it is cancelled.
  package var duration: Duration?
  /// The result of the body if it is not cancelled.
  package var ending: Ending
  /// The minimum pause before the next attempt, as requested by the error. Nil if it requests none.
  package var retryAfter: Duration?
  /// The time from the request to cancel the body until it returns, or nil if it ignores the request.
  package var respondsToCancellationAfter: Duration?
  /// The events that the attempt posts, in the order of their times.
  package var posts: [ScriptedPost]
  /// The time until a service is ready, or nil if it never becomes ready. Ignored for other steps.
  package var readyAfter: Duration?

  /// The result of a body that is not cancelled.
  package enum Ending: Sendable, Hashable {
    case success
    /// The body throws an error. If the error is not retryable, there is no further attempt.
    case failure(retryable: Bool)
  }

  /// Creates a behavior. By default, the body returns immediately when it is cancelled.
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

  /// Returns the behavior of an attempt that succeeds after `duration`.
  package static func succeeds(after duration: Duration) -> StepBehavior { StepBehavior(duration: duration) }

  /// Returns the behavior of an attempt that fails after `duration`.
  package static func fails(after duration: Duration, retryable: Bool = true) -> StepBehavior {
    StepBehavior(duration: duration, ending: .failure(retryable: retryable))
  }

  /// Returns the behavior of a service that is ready after `delay` and runs until it is cancelled.
  package static func ready(after delay: Duration) -> StepBehavior {
    StepBehavior(duration: nil, readyAfter: delay)
  }

  /// The behavior of an attempt that never returns and ignores cancellation.
  package static let hangs = StepBehavior(duration: nil, respondsToCancellationAfter: nil)
}

/// An event that a scripted step posts.
package struct ScriptedPost: Sendable, Hashable {
  /// The time from the start of the attempt. The post must not come after the attempt's end.
  package var after: Duration
  /// The name of the event, as declared by the action.
  public var event: String

  package init(after: Duration, _ event: String) {
    self.after = after
    self.event = event
  }
}
