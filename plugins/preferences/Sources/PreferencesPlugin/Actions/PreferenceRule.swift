import FlowModel

/// What each preference may be.
enum PreferenceRule {
  /// The longest key, in bytes.
  static let keyLimitBytes = 128

  /// What is wrong with a value for this key; nil: nothing. Keys that no manager owns may hold anything.
  static func problem(with value: Value, for key: String) -> String? {
    switch key {
    case AccountManager.preference: AccountManager.problem(with: value)
    case LanguageManager.preference: LanguageManager.problem(with: value)
    case BrandColorManager.preference: BrandColorManager.problem(with: value)
    case AppearanceManager.preference: AppearanceManager.problem(with: value)
    default: nil
    }
  }

  /// What is wrong with a key; nil: nothing.
  static func problem(withKey key: String) -> String? {
    (1...keyLimitBytes).contains(key.utf8.count) ? nil : "a preference needs a key of 1 to \(keyLimitBytes) bytes"
  }
}
