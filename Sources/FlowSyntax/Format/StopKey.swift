import FlowModel

enum StopKey: String, FormatKey {
  case signal, within

  static let owner = "stop"

  static func remedy(insteadOf value: Value) -> String? {
    guard let text = value.stringValue else { return nil }
    return (try? DurationText.parse(text)) == nil ? "write '{ signal: \(text) }'" : "write '{ within: \(text) }'"
  }

  var shape: Shape {
    switch self {
    case .signal: .word(StopPolicy.Signal.allCases.map(\.rawValue))
    case .within: .duration
    }
  }

  var defaultText: String? {
    switch self {
    case .signal: StopPolicy().signal.rawValue
    case .within: DurationText.format(StopPolicy().within)
    }
  }

  var summary: String {
    switch self {
    case .signal: "The signal that asks the command to end"
    case .within: "How long the command then has before it is killed, at most 10m"
    }
  }
}
