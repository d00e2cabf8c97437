import FlowModel
import FlowPluginKit
import RouterCore

/// The options for holding links until the user interface is ready: `{ keep, persist, time-to-live }`.
struct PendingOptions: ColumnValue {
  var keep = PendingPolicy.Keep.latest
  var persist = false
  var timeToLiveMilliseconds = PendingPolicy.defaultTimeToLiveMilliseconds

  private static let fields: [FieldDeclaration] = [
    FieldDeclaration(
      "keep", .enumeration(PendingPolicy.Keep.allCases.map { .string($0.rawValue) }, of: .string), default: "latest",
      summary: "The latest link alone, or up to 16 in order"),
    FieldDeclaration(
      "persist", .boolean, default: false, summary: "Whether held links survive the process, in the key-value store"),
    FieldDeclaration("time-to-live", .duration, default: "10m", summary: "How long a link may wait"),
  ]

  static var valueType: ColumnType { ColumnType(.object(properties: fields)) }
  static var placeholder: PendingOptions { PendingOptions() }

  init() {}

  init?(_ value: Value) {
    guard let object = value.objectValue, Self.valueType.type.mismatch(of: value, at: "") == nil else { return nil }
    if let word = object["keep"]?.stringValue.flatMap(PendingPolicy.Keep.init(rawValue:)) { keep = word }
    persist = object["persist"]?.booleanValue ?? false
    if let duration = object["time-to-live"].flatMap(Duration.init) { timeToLiveMilliseconds = duration.milliseconds }
  }

  var value: Value {
    .object([
      "keep": .string(keep.rawValue), "persist": .boolean(persist),
      "time-to-live": Duration.milliseconds(timeToLiveMilliseconds).value,
    ])
  }
}

extension Duration {
  /// The duration in whole milliseconds, rounded toward zero.
  var milliseconds: Int { Int(components.seconds) * 1_000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}
