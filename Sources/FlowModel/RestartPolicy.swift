/// Whether a service that ended by itself is started again.
public struct RestartPolicy: Sendable, Hashable {
  /// The ends after which it is started again.
  public var ends: Ends
  /// The pause before it is started again.
  public var delay: Duration
  /// The number of new starts without becoming ready in between.
  public var attempts: Int

  /// Ends of a service.
  public enum Ends: String, Sendable, Hashable, CaseIterable {
    case always
    /// Another exit status than 0, or a signal.
    case failure
    case never
  }

  /// The input of an action that has the policy.
  public static let input = "restart"
  /// The numbers of attempts that a policy may state.
  public static let attemptRange = 1...1_000_000

  /// A policy; without arguments the usual one.
  public init(ends: Ends = .never, delay: Duration = .seconds(1), attempts: Int = 5) {
    self.ends = ends
    self.delay = delay
    self.attempts = attempts
  }

  /// Reads `{ on-exit, delay, attempts }`, the value of an input.
  public init(_ value: ValueObject) throws(StopPolicy.PolicyProblem) {
    self.init()
    for (key, value) in value {
      switch key {
      case "on-exit":
        guard let ends = value.stringValue.flatMap(Ends.init) else {
          let known = Ends.allCases.map(\.rawValue).joined(separator: ", ")
          throw StopPolicy.PolicyProblem(message: "'on-exit' is one of \(known), not \(value.shortText)")
        }
        self.ends = ends
      case "delay":
        guard let delay = value.stringValue.flatMap({ try? DurationText.parse($0) }) else {
          throw StopPolicy.PolicyProblem(message: "'delay' is a duration such as 1s, not \(value.shortText)")
        }
        self.delay = delay
      case "attempts":
        guard let attempts = value.integerValue, Self.attemptRange.contains(attempts) else {
          throw StopPolicy.PolicyProblem(message: "'attempts' is a number above 0, not \(value.shortText)")
        }
        self.attempts = attempts
      default:
        throw StopPolicy.PolicyProblem(
          message: "there is no key '\(key)'; expected 'on-exit', 'delay' and 'attempts'")
      }
    }
  }

  /// The policy as the value of an input.
  public var value: Value {
    ["on-exit": .string(ends.rawValue), "delay": .string(DurationText.format(delay)), "attempts": .integer(attempts)]
  }
}
