import FlowModel

/// The system's preferences, used if the user has set none in the application. An app implements it for its platform.
///
/// Its properties may be read on any thread.
public protocol SystemPreferences: Sendable {
  /// The user's languages as BCP 47 tags, the most preferred first.
  var languages: [String] { get }
  /// The appearance of the system, or nil if it is unknown.
  var appearance: Appearance? { get }
}

extension HandleKey {
  /// The ``SystemPreferences`` of the plugin.
  public static let systemPreferences: HandleKey = "system-preferences"
}
