import FlowModel

enum StopKey: String, FormatKey {
  case signal, within

  static let owner = "stop"

  static func remedy(insteadOf value: Value) -> String? {
    guard let text = value.stringValue else { return nil }
    return (try? DurationText.parse(text)) == nil ? "write '{ signal: \(text) }'" : "write '{ within: \(text) }'"
  }

  var row: KeyRow {
    switch self {
    case .signal:
      KeyRow(
        .word(StopPolicy.Signal.allCases.map(\.rawValue)), default: StopPolicy().signal.rawValue,
        "The signal that asks the command to end")
    case .within:
      KeyRow(
        .duration, default: DurationText.format(StopPolicy().within),
        "How long the command then has before it is killed, at most 10m")
    }
  }
}
