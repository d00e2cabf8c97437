/// The rules for restarting a service that has ended without being stopped (`restart`).
package struct RestartPolicy: Sendable, Hashable {
  /// The exits after which the service is restarted.
  package var ends: Ends
  /// The pause before each restart.
  package var delay: Duration
  /// The maximum number of consecutive restarts without the service becoming ready in between, or nil if there is no
  /// maximum.
  package var attempts: Int?

  /// The exits after which a service is restarted.
  package enum Ends: String, Sendable, Hashable, CaseIterable {
    case always
    /// The service has ended with an exit status other than 0 or by a signal.
    case failure
    case never
  }

  /// The name of the action's input that contains the policy.
  package static let input = "restart"
  /// The range in which ``attempts`` must be.
  package static let attemptRange = 1...1_000_000
  /// The value of `attempts` in a file that means no maximum.
  package static let unlimited = "unlimited"

  /// Creates a policy. By default, the service is never restarted.
  package init(ends: Ends = .never, delay: Duration = .seconds(1), attempts: Int? = 5) {
    self.ends = ends
    self.delay = delay
    self.attempts = attempts
  }

  /// Parses the value of the input, such as `{ on-exit: failure, delay: 1s, attempts: 5 }`. Throws if it is invalid.
  package init(_ value: ValueObject) throws(StopPolicy.PolicyProblem) {
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
        if value.stringValue == Self.unlimited {
          attempts = nil
          continue
        }
        guard let number = value.integerValue, Self.attemptRange.contains(number) else {
          throw StopPolicy.PolicyProblem(
            message: "'attempts' is a number above 0 or \(Self.unlimited), not \(value.shortText)")
        }
        attempts = number
      default:
        throw StopPolicy.PolicyProblem(
          message: "there is no key '\(key)'; expected 'on-exit', 'delay' and 'attempts'")
      }
    }
  }

  /// The policy in the form of the input's value.
  package var value: Value {
    [
      "on-exit": .string(ends.rawValue), "delay": .string(DurationText.format(delay)),
      "attempts": attempts.map(Value.integer) ?? .string(Self.unlimited),
    ]
  }
}
