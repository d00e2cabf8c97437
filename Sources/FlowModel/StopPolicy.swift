/// The signal that asks a command to end, and the time after which the command is killed (`stop`).
package struct StopPolicy: Sendable, Hashable {
  /// The signal that is sent to the command's process group.
  package var signal: Signal
  /// The time from the signal until the command is killed.
  package var within: Duration

  /// The signals that can ask a command to end.
  package enum Signal: String, Sendable, Hashable, CaseIterable {
    case hangUp = "HUP"
    case interrupt = "INT"
    case quit = "QUIT"
    case terminate = "TERM"
    case user1 = "USR1"
    case user2 = "USR2"
  }

  /// The name of the action's input that contains the policy.
  package static let input = "stop"

  /// Creates a policy. By default, the command has 2 s to end after `SIGTERM`.
  package init(signal: Signal = .terminate, within: Duration = .seconds(2)) {
    self.signal = signal
    self.within = within
  }

  /// The reason why a value is not a policy.
  package struct PolicyProblem: Error, Hashable {
    /// A sentence that describes the problem and the expected form.
    public let message: String
  }

  /// Parses the value of the input, such as `{ signal: INT, within: 10s }`. Throws if it is invalid.
  package init(_ value: ValueObject) throws(PolicyProblem) {
    self.init()
    for (key, value) in value {
      switch key {
      case "signal":
        guard let signal = value.stringValue.flatMap(Signal.init) else {
          let known = Signal.allCases.map(\.rawValue).joined(separator: ", ")
          throw PolicyProblem(message: "'signal' is one of \(known), not \(value.shortText)")
        }
        self.signal = signal
      case "within":
        guard let within = value.stringValue.flatMap({ try? DurationText.parse($0) }), within <= Limits.stopTime else {
          let limit = DurationText.format(Limits.stopTime)
          throw PolicyProblem(message: "'within' is a duration of at most \(limit), not \(value.shortText)")
        }
        self.within = within
      default: throw PolicyProblem(message: "there is no key '\(key)'; expected 'signal' and 'within'")
      }
    }
  }

  /// The policy in the form of the input's value.
  package var value: Value {
    ["signal": .string(signal.rawValue), "within": .string(DurationText.format(within))]
  }
}
