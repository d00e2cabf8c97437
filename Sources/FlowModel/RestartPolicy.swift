/// The rules for restarting a service that has ended by itself (`restart`).
package struct RestartPolicy: Sendable, Hashable {
  /// The ways of ending after which the service restarts.
  package var ends: Ends
  /// The pause before a restart.
  package var delay: Duration
  /// The maximum number of restarts in a row in which it does not become ready, or nil if there is none.
  package var attempts: Int?

  /// The ways in which a service may end.
  package enum Ends: String, Sendable, Hashable, CaseIterable {
    case always
    /// The service ends with an exit status other than 0 or by a signal.
    case failure
    case never
  }

  /// The name of the action's input with the policy.
  package static let input = "restart"
  /// The allowed numbers of ``attempts``.
  package static let attemptRange = 1...1_000_000
  /// The word for ``attempts`` without a maximum.
  package static let unlimited = "unlimited"

  /// Creates a policy.
  package init(ends: Ends = .never, delay: Duration = .seconds(1), attempts: Int? = 5) {
    self.ends = ends
    self.delay = delay
    self.attempts = attempts
  }

  /// Parses the value of the input, such as `{ on-exit: failure, delay: 1s, attempts: 5 }`.
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

  /// The policy as the value of the input.
  package var value: Value {
    [
      "on-exit": .string(ends.rawValue), "delay": .string(DurationText.format(delay)),
      "attempts": attempts.map(Value.integer) ?? .string(Self.unlimited),
    ]
  }
}
