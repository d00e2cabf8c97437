import FlowModel

/// What the system says where the user has chosen nothing in the application; an app implements it over its platform.
///
/// Calls come on any thread.
public protocol SystemPreferences: Sendable {
  /// The user's languages as BCP 47 tags, the dearest first.
  var languages: [String] { get }
  /// Whether the system is dark or light; nil if it does not say.
  var appearance: Appearance? { get }
}

extension HandleKey {
  /// The ``SystemPreferences`` that the plugin was made with.
  public static let systemPreferences: HandleKey = "system-preferences"
}
