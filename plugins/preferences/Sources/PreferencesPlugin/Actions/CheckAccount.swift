import FlowModel
import FlowPluginKit

/// Checks whether a user is signed in, and loads the account (L10). Never asks the user to sign in.
struct CheckAccount: Action, DetailedAction {
  static let name = "preferences.account"
  static let summary = "Checks whether a user is signed in, and loads the account"
  static let provides: [HandleKey] = [ManagerRoster.runKey]
  static let requires: [HandleKey] = [.keyValueStore]
  static let needsProtectedData = true
  static let example = """
    uses: preferences.account
    needs: open-store
    estimate: 100ms..300ms
    """

  struct Output: ActionOutput {
    var signedIn: Bool
    var id: String?
    var name: String?
    var email: String?

    static let summaries = [
      "signed-in": "Whether a user is signed in", "id": "The account", "name": "The user's name",
      "email": "The user's address",
    ]
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let account = try ManagerRoster.account(in: context).account
    return Output(signedIn: account != nil, id: account?.id, name: account?.name, email: account?.email)
  }
}
