import FlowModel

/// What a step's body does in a simulated run, instead of an action: one behavior for each attempt.
public struct StepScript: Sendable, Hashable {
  /// What the first, second, … attempt does; the last one stands for all further attempts. Never empty.
  public var attempts: [StepBehavior]
  /// Whether the step's action is a service: it is finished when it reports ready, and continues to run.
  public var isService: Bool
  /// Whether that service is a command, so that the steps that need it end with it.
  public var isCommandService = false
  /// The events that the step's action declares, whether it posts them or not.
  public var declaredEvents: [String]
  /// The draws for `jitter: full`: the pause before attempt `n + 1` is multiplied by draw `n`; in 0..<1, empty: 0.5.
  public var draws: [Double]
  /// What it does for each item, where its step has `foreach`; where it runs for posts, over and over.
  public var items: [StepScript] = []
  /// Of an item: whether the step's `if` does not hold for it.
  public var isLeftOut = false

  /// A script of these attempts.
  ///
  /// The events that the attempts post are declared without being named in `declaring`.
  public init(
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

  /// A step that succeeds after `duration`.
  public static func succeeds(after duration: Duration) -> StepScript { StepScript([.succeeds(after: duration)]) }

  /// A step all of whose attempts fail after `duration`.
  public static func fails(after duration: Duration, retryable: Bool = true) -> StepScript {
    StepScript([.fails(after: duration, retryable: retryable)])
  }

  /// The events that the step, or an item of it, may post.
  public var possibleEvents: [String] { declaredEvents + items.flatMap(\.declaredEvents) }

  /// What it does for an item.
  public func script(ofItem index: Int) -> StepScript { items.isEmpty ? self : items[index % items.count] }

  /// What attempt `number` does; the first is 1.
  public func behavior(attempt number: Int) -> StepBehavior { attempts[min(number, attempts.count) - 1] }

  /// The factor for the pause after failed attempt `number`; the first is 1.
  public func draw(afterAttempt number: Int) -> Double { draws.isEmpty ? 0.5 : draws[min(number, draws.count) - 1] }
}

/// What one attempt of a scripted step does. Times count from the start of the attempt.
public struct StepBehavior: Sendable, Hashable {
  /// When the body returns by itself; nil: never.
  public var duration: Duration?
  /// What the body returns.
  public var ending: Ending
  /// The least pause before the next attempt that its error asks for; nil: none.
  public var retryAfter: Duration?
  /// How long after it was asked to stop the body returns; nil: it is deaf and continues to its own end.
  public var respondsToCancellationAfter: Duration?
  /// The events it posts on the way, by time.
  public var posts: [ScriptedPost]
  /// When a service reports ready; nil: never. Without meaning for other steps.
  public var readyAfter: Duration?

  /// What a body returns.
  public enum Ending: Sendable, Hashable {
    case success
    /// An error; when it is not retryable the step ends with it.
    case failure(retryable: Bool)
  }

  /// A behavior; one that is asked to stop returns at once unless stated otherwise.
  public init(
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

  /// An attempt that succeeds after `duration`.
  public static func succeeds(after duration: Duration) -> StepBehavior { StepBehavior(duration: duration) }

  /// An attempt that fails after `duration`.
  public static func fails(after duration: Duration, retryable: Bool = true) -> StepBehavior {
    StepBehavior(duration: duration, ending: .failure(retryable: retryable))
  }

  /// A service's attempt that reports ready after `delay` and continues until it is stopped.
  public static func ready(after delay: Duration) -> StepBehavior {
    StepBehavior(duration: nil, readyAfter: delay)
  }

  /// An attempt that never returns and hears no cancellation.
  public static let hangs = StepBehavior(duration: nil, respondsToCancellationAfter: nil)
}

/// An event that a scripted step posts.
public struct ScriptedPost: Sendable, Hashable {
  /// When, from the start of the attempt; not later than its end.
  public var after: Duration
  /// The event's name.
  public var event: String

  /// Posts `event` when `after` has passed.
  public init(after: Duration, _ event: String) {
    self.after = after
    self.event = event
  }
}
