import FlowModel
import FlowPluginKit

/// Checks whether cloud synchronization is configured and switched on, without connecting (L3).
struct Account: Action {
  static let name = "sync.account"
  static let summary = "Returns whether there is a cloud to synchronize with; neither connects nor asks"
  static let example = """
    uses: sync.account
    with: { server: "http://127.0.0.1:8480" }
    """

  struct Input: ActionInput {
    @Field("The SQLite file that the devices share, as sync.connect takes it") var store: DataPath?
    @Field("The address of a sync server instead") var server: String?
    @Field("Whether the person has switched the cloud on") var enabled = true
  }

  struct Output: ActionOutput {
    var available: Bool
    var status: String

    static let summaries = [
      "available": "Whether there is one",
      "status": "available, switched-off, or no-account when neither a server nor a file is named",
    ]
  }

  func run(_ input: Input, in context: ActionContext) -> Output {
    let isNamed = input.server.map { !$0.isEmpty } ?? false || input.store.map { !$0.path.isEmpty } ?? false
    let status = !input.enabled ? "switched-off" : isNamed ? "available" : "no-account"
    context.log("cloud: \(status)")
    return Output(available: status == "available", status: status)
  }
}
