import FlowModel
import FlowPluginKit

/// Selects a tab. The next launch restores the selection if both launches use `ui.restore`.
struct SelectTab: AsyncAction {
  static let name = "ui.select"
  static let effect = ActionEffect.process
  static let summary = "Brings a tab to the front, which the next launch restores"
  static let requires: [HandleKey] = [.userInterface]
  static let errors = [
    ErrorDeclaration("unknown-tab", "The window has no such tab; correct its name", isRetryable: false)
  ]
  static let example = """
    uses: ui.select
    needs: enter-app
    with: { tab: badges }
    """

  struct Input: ActionInput {
    @Field("The name of the tab") var tab: String
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> NoOutput {
    let session: InterfaceSession = try context.handle(InterfaceSession.key)
    let interface = session.interface
    try await context.calling(interface) { try await interface.select(tab: input.tab) }
    return NoOutput()
  }
}
