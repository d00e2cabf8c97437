import FlowModel

/// The system's preferences, used for those that the user has not set in the application. An app implements this
/// protocol for its platform.
///
/// Its properties may be read on any thread.
public protocol SystemPreferences: Sendable {
  /// The user's languages as BCP 47 tags, the most preferred first.
  var languages: [String] { get }
  /// The appearance of the system, or nil if it is unknown.
  var appearance: Appearance? { get }
}

extension HandleKey {
  /// The handle of the plugin's ``SystemPreferences``.
  public static let systemPreferences: HandleKey = "system-preferences"
}
