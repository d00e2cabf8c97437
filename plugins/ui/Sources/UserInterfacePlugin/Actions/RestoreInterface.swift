import FlowModel
import FlowPluginKit

/// Restores the interface of the last launch after the application was created and before it has a window (P2, R7).
/// Saves every later change to the interface.
struct RestoreInterface: AsyncAction {
  static let name = "ui.restore"
  static let effect = ActionEffect.process
  static let summary = "Restores what the last launch showed and posts app.did-finish-launching"
  static let events = [LifecycleEvent.appDidFinishLaunching.rawValue]
  static let requires: [HandleKey] = [.userInterface, .keyValueStore]
  static let example = """
    uses: ui.restore
    needs: [launch-app, open-store]
    queue: main
    """

  struct Input: ActionInput {
    @Field("The age at which a page is not restored any more, in time of day") var maxAge: Duration = .seconds(604_800)
  }

  struct Output: ActionOutput {
    var restored: Bool
    var tab: String?
    var pages: [String]

    static let summaries = [
      "restored": "Whether there was something to restore", "tab": "The tab in front then",
      "pages": "The pages over it, the one in front last",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let session: InterfaceSession = try context.handle(InterfaceSession.key)
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    let keeper = InterfaceKeeper(store, now: session.now)
    let restored = try keeper.restore(maxAgeMilliseconds: input.maxAge.nanoseconds / 1_000_000)
    context.saving { try keeper.recordTime() }
    let state = restored.state
    let interface = session.interface
    if let state { try await context.calling(interface) { try await interface.restore(state) } }
    // A saved state that cannot be read must not prevent the launch, so it causes only a warning.
    if restored.isUnreadable {
      context.log("the saved state of the interface cannot be used; starting without it", level: .warning)
    }
    for page in restored.dropped {
      context.log(
        "the page '\(page.page)' is not restored: \(page.reason)", level: page.isSuspect ? .warning : .info)
    }
    session.keeper = keeper
    try await context.calling(interface) {
      await interface.onStateChange { state in context.saving { try keeper.save(state) } }
    }
    try context.post(LifecycleEvent.appDidFinishLaunching.rawValue)
    return Output(restored: state != nil, tab: state?.tab, pages: state?.pages.map(\.page) ?? [])
  }
}

extension ActionContext {
  /// Calls `body`, which saves part of the interface's state. If that fails, logs a warning.
  func saving(_ body: () throws -> Void) {
    do {
      try body()
    } catch {
      log("the state of the interface could not be saved: \(error)", level: .warning)
    }
  }
}
