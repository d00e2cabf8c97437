import FlowPluginKit

/// Does nothing. Useful as a step on which others depend, so that their dependencies need to be listed only once.
struct DoNothing: Action {
  static let name = "flow.noop"
  static let summary = "Does nothing; other steps can meet at it"
  static let isPortable = true

  func run(_ input: NoInput, in context: ActionContext) -> NoOutput { NoOutput() }
}
