import FlowPlatform

#if canImport(Darwin)
  import Foundation
#endif

/// The system's preferences according to the environment of a process. Reads `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and
/// `LANG` (POSIX and GNU gettext), `GTK_THEME`, and `COLORFGBG` of a terminal.
public struct EnvironmentPreferences: SystemPreferences {
  /// The user's languages as BCP 47 tags, the most preferred first. Empty for the locales `C` and `POSIX`, and if
  /// neither the environment nor the system specifies any.
  public let languages: [String]
  /// The appearance that the environment indicates, or nil if it is unknown.
  public let appearance: Appearance?

  /// Creates the preferences from the environment of this process. If it contains no locale, as in an iOS app, uses the
  /// languages of the system.
  public init() {
    self.init({ getenv($0).map { String(cString: $0) } }, systemLanguages: Self.systemLanguages)
  }

  /// Creates the preferences from environment variables. If they contain no locale, uses `systemLanguages`.
  public init(_ variable: (String) -> String?, systemLanguages: [String] = []) {
    languages = Self.languages(variable) ?? systemLanguages
    appearance = Self.appearance(variable)
  }

  private static var systemLanguages: [String] {
    #if canImport(Darwin)
      Locale.preferredLanguages
    #else
      []
    #endif
  }

  /// Returns the languages, or nil if no variable sets a locale. According to POSIX, the first of the three variables
  /// that is not empty decides. According to gettext, the list in `LANGUAGE` has precedence unless the locale is `C` or
  /// `POSIX`.
  private static func languages(_ variable: (String) -> String?) -> [String]? {
    guard let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(variable).first(where: { !$0.isEmpty }) else {
      return nil
    }
    guard let locale = tag(ofLocale: name) else { return [] }
    let list = (variable("LANGUAGE") ?? "").split(separator: ":").compactMap { tag(ofLocale: String($0)) }
    return list + (list.contains(locale) ? [] : [locale])
  }

  /// Returns the tag of a POSIX locale: `zh-CN` for `zh_CN.UTF-8`, `sr-Latn-RS` for `sr_RS@latin`. Returns nil for `C`,
  /// `POSIX` and an empty name.
  static func tag(ofLocale locale: String) -> String? {
    let base = locale.prefix { $0 != "." && $0 != "@" }
    guard !base.isEmpty, base != "C", base != "POSIX" else { return nil }
    var parts = base.split(separator: "_").map(String.init)
    let modifier = locale.split(separator: "@").dropFirst().first
    if modifier == "latin" { parts.insert("Latn", at: 1) }
    if modifier == "cyrillic" { parts.insert("Cyrl", at: 1) }
    return parts.joined(separator: "-")
  }

  private static func appearance(_ variable: (String) -> String?) -> Appearance? {
    if let theme = variable("GTK_THEME"), !theme.isEmpty {
      return theme.lowercased().hasSuffix("dark") ? .dark : .light
    }
    // The value is `foreground;background`, with numbers of a terminal's 16 colors. 7 and 9 to 15 are light; 8 is dark
    // gray.
    guard let background = variable("COLORFGBG")?.split(separator: ";").last.flatMap({ Int($0) }) else { return nil }
    return background == 7 || background > 8 ? .light : .dark
  }
}
