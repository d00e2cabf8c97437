import FlowModel

/// The signed-in user, if there is one (L10).
final class AccountManager: Manager {
  static let preference = "account"

  private let saved: SavedPreference

  init(saved: Value?) { self.saved = SavedPreference(saved) }

  func update(saved: Value?) { self.saved.current = saved }

  /// The signed-in user.
  struct Account: Hashable {
    var id: String
    var name: String?
    var email: String?

    /// Creates the account from a saved value; returns nil if it is not one.
    init?(_ value: Value?) {
      guard case .object(let members)? = value, let id = members["id"]?.stringValue, !id.isEmpty else { return nil }
      self.id = id
      name = members["name"]?.stringValue
      email = members["email"]?.stringValue
    }
  }

  /// The signed-in account, or nil.
  var account: Account? { Account(saved.current) }

  /// The problem of a value to save, or nil.
  static func problem(with value: Value) -> String? {
    Account(value) == nil ? "an account is an object with an `id`, and perhaps `name` and `email`" : nil
  }
}
