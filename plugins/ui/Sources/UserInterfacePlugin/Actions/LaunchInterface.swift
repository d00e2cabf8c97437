import FlowModel
import FlowPluginKit

/// Creates the application and its delegate, loads the storyboard if there is one, and posts the event of the launch
/// (P1).
struct LaunchInterface: AsyncAction {
  static let name = "ui.launch"
  static let effect = ActionEffect.process
  static let summary = "Creates the application and posts app.will-finish-launching"
  static let events = [LifecycleEvent.appWillFinishLaunching.rawValue]
  static let provides: [HandleKey] = [.userInterface, InterfaceSession.key]
  static let errors = [
    ErrorDeclaration("storyboard-missing", "There is no such storyboard; correct the path", isRetryable: false),
    ErrorDeclaration("already-launched", "A run has one application, and there is one already", isRetryable: false),
  ]
  static let example = """
    uses: ui.launch
    queue: main
    """

  struct Input: ActionInput {
    @Field("The main storyboard; an application without one leaves it out") var storyboard: SourcePath?
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> NoOutput {
    if let path = input.storyboard?.path, LaunchFile.sizeBytes(at: path) == nil {
      throw ActionError(
        "storyboard-missing", "there is no storyboard at '\(path)'; correct the path", isRetryable: false)
    }
    // A second attempt of this step may find the application of the first one. A second step must not create another
    // (R2).
    if context.attempt == 1, let _: InterfaceSession = try? context.handle(InterfaceSession.key) {
      throw ActionError(
        "already-launched", "the application exists already; a run has one, so use 'ui.launch' in one step only",
        isRetryable: false)
    }
    let factory: InterfaceFactory = try context.handle(InterfaceFactory.key)
    let interface = try await context.untilCancelled { await factory.make() }
    try await context.calling(interface) { try await interface.launch(storyboard: input.storyboard?.path) }
    context.provide(.userInterface, interface)
    context.provide(InterfaceSession.key, InterfaceSession(interface, now: factory.now))
    try context.post(LifecycleEvent.appWillFinishLaunching.rawValue)
    return NoOutput()
  }
}
