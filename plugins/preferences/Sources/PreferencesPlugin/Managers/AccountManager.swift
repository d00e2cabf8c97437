import FlowModel

/// Whether someone is signed in, and who (L10).
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

    /// The account that a saved value describes; nil if it is none.
    init?(_ value: Value?) {
      guard case .object(let members)? = value, let id = members["id"]?.stringValue, !id.isEmpty else { return nil }
      self.id = id
      name = members["name"]?.stringValue
      email = members["email"]?.stringValue
    }
  }

  /// The account that is signed in; nil: none.
  var account: Account? { Account(saved.current) }

  /// The problem of a value to save; nil: none.
  static func problem(with value: Value) -> String? {
    Account(value) == nil ? "an account is an object with an `id`, and perhaps `name` and `email`" : nil
  }
}
