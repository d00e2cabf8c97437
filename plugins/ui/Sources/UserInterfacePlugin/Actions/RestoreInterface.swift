import FlowModel
import FlowPluginKit

/// Brings back what the last launch showed, between the two halves of the launch (P2, R7), and keeps it from then on.
struct RestoreInterface: Action {
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

  struct Output: ActionOutput {
    var restored: Bool
    var tab: String?
    var pages: [String]

    static let summaries = [
      "restored": "Whether there was something to restore", "tab": "The tab in front then",
      "pages": "The pages over it, the one in front last",
    ]
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let session: InterfaceSession = try context.handle(InterfaceSession.key)
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    let saved = try store.get(InterfaceSession.stateKey, in: InterfaceSession.scope)
    let state = saved.flatMap(InterfaceState.init)
    if let state {
      try session.interface.restore(state)
    } else if saved != nil {
      // What an application showed is worth a warning, not a launch.
      context.log("the saved state of the interface cannot be used; starting without it", level: .warning)
    }
    session.interface.onStateChange { state in
      do {
        try store.put(state.value, for: InterfaceSession.stateKey, in: InterfaceSession.scope)
      } catch {
        context.log("the state of the interface could not be saved: \(error)", level: .warning)
      }
    }
    try context.post(LifecycleEvent.appDidFinishLaunching.rawValue)
    return Output(restored: state != nil, tab: state?.tab, pages: state?.pages.map(\.page) ?? [])
  }
}
