import FlowModel

/// The rules for the keys and values of preferences.
enum PreferenceRule {
  static let keyLimitBytes = 128

  /// Returns the problem with a value for this key, or nil if it is allowed. Keys without a manager accept any value.
  static func problem(with value: Value, for key: String) -> String? {
    switch key {
    case AccountManager.preference: AccountManager.problem(with: value)
    case LanguageManager.preference: LanguageManager.problem(with: value)
    case BrandColorManager.preference: BrandColorManager.problem(with: value)
    case AppearanceManager.preference: AppearanceManager.problem(with: value)
    default: nil
    }
  }

  /// Returns the problem with a key, or nil if it is allowed.
  static func problem(withKey key: String) -> String? {
    (1...keyLimitBytes).contains(key.utf8.count) ? nil : "a preference needs a key of 1 to \(keyLimitBytes) bytes"
  }
}
