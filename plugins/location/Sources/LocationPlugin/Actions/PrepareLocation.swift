import FlowModel
import FlowPluginKit

/// Prepares the location service without asking the user for permission (L18, L20).
struct PrepareLocation: Action {
  static let name = "location.prepare"
  static let effect = ActionEffect.process
  static let summary = "Prepares the location service and returns the permission; never asks for it"
  static let requires: [HandleKey] = [.keyValueStore]
  static let example = """
    uses: location.prepare
    needs: open-store
    blocking: false
    """

  struct Output: ActionOutput {
    static let summaries = [
      "authorization": "The permission of the user", "granted": "Whether positions are available",
    ]
    var authorization: LocationAuthorization
    var granted: Bool
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let status = try LocationPermission.current(in: context)
    return Output(authorization: status, granted: status.isGranted)
  }
}
