/// The signal that asks a command to end, and the time until it is killed.
public struct StopPolicy: Sendable, Hashable {
  /// The signal sent to the command's process group.
  public var signal: Signal
  /// The time until the command is killed.
  public var within: Duration

  /// The signals that can ask a command to end.
  public enum Signal: String, Sendable, Hashable, CaseIterable {
    case hangUp = "HUP"
    case interrupt = "INT"
    case quit = "QUIT"
    case terminate = "TERM"
    case user1 = "USR1"
    case user2 = "USR2"
  }

  /// The name of the action's input that contains the policy.
  public static let input = "stop"

  /// Creates a policy with the given deviations from the default.
  public init(signal: Signal = .terminate, within: Duration = .seconds(2)) {
    self.signal = signal
    self.within = within
  }

  /// The reason why a value is not a policy.
  public struct PolicyProblem: Error, Hashable {
    /// The problem, and the expected value.
    public let message: String
  }

  /// Parses `{ signal, within }`, the value of the input.
  public init(_ value: ValueObject) throws(PolicyProblem) {
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

  /// The policy as the value of an input.
  public var value: Value {
    ["signal": .string(signal.rawValue), "within": .string(DurationText.format(within))]
  }
}
