import FlowModel
import FlowPluginKit

/// Shows the window in place of the splash. The application is then in the foreground (P1, R7, R8).
struct PresentInterface: AsyncAction {
  static let name = "ui.present"
  static let effect = ActionEffect.process
  static let summary = "Shows the window in the splash's place and posts ui.ready and app.did-become-active"
  static let events = [LifecycleEvent.uiReady.rawValue, LifecycleEvent.appDidBecomeActive.rawValue]
  static let requires: [HandleKey] = [.userInterface]
  static let errors = [
    ErrorDeclaration("no-window", "There is no window; add a ui.window step before this one", isRetryable: false)
  ]
  static let example = """
    uses: ui.present
    needs: content-view
    queue: main
    defer: true
    """

  nonisolated(nonsending) func run(_ input: NoInput, in context: ActionContext) async throws -> NoOutput {
    let session: InterfaceSession = try context.handle(InterfaceSession.key)
    let (keeper, interface) = (session.keeper, session.interface)
    if let keeper { context.saving { try keeper.beginPresenting() } }
    do {
      try await context.calling(interface) { try await interface.present() }
    } catch {
      // If the step timed out, a restored page may be the cause. A cancelled step does not count as a failed launch.
      let isCancelled = error is CancellationError || context.isCancelled && context.remaining != .zero
      if isCancelled, let keeper { context.saving { try keeper.endPresenting(isReady: false) } }
      throw error
    }
    session.hideSplash()
    try context.post(LifecycleEvent.uiReady.rawValue)
    if let keeper { context.saving { try keeper.endPresenting(isReady: true) } }
    try context.post(LifecycleEvent.appDidBecomeActive.rawValue)
    return NoOutput()
  }
}
