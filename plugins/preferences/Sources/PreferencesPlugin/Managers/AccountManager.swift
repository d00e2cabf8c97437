import FlowModel

/// Provides the account of the signed-in user (L10).
final class AccountManager: Manager {
  static let preference = "account"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// The account of a user, as saved in the preferences.
  struct Account: Hashable {
    var id: String
    var name: String?
    var email: String?

    /// Creates an account from a saved value. Returns nil if the value is not an account.
    init?(_ value: Value?) {
      guard case .object(let members)? = value, let id = members["id"]?.stringValue, !id.isEmpty else { return nil }
      self.id = id
      name = members["name"]?.stringValue
      email = members["email"]?.stringValue
    }
  }

  /// The account of the signed-in user, or nil if no user is signed in.
  var account: Account? { Account(saved.current) }

  /// Returns the reason why a value cannot be saved as an account, or nil if it can.
  static func problem(with value: Value) -> String? {
    Account(value) == nil ? "an account is an object with an `id`, and perhaps `name` and `email`" : nil
  }
}
