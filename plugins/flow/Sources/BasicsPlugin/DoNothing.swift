import FlowPluginKit

/// Does nothing, as cheaply as possible; joins other steps.
struct DoNothing: Action {
  static let name = "flow.noop"
  static let summary = "Does nothing; other steps can meet at it"
  static let isPortable = true

  func run(_ input: NoInput, in context: ActionContext) -> NoOutput { NoOutput() }
}
