import FlowModel
import FlowPluginKit

/// The user's answer, which is stored once and read by all later runs.
enum LocationPermission {
  static let scope = "location"
  static let key = "authorization"

  /// Returns the known permission without asking: the platform's record, or the stored answer, or `not-determined`.
  static func current(in context: ActionContext) throws -> LocationAuthorization {
    let source: any LocationSource = try context.handle(.locationSource)
    if let known = source.authorization() { return known }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    return try store.get(key, in: scope).flatMap { LocationAuthorization($0) } ?? .notDetermined
  }

  /// Stores the user's answer for later runs.
  static func keep(_ answer: LocationAuthorization, in context: ActionContext) throws {
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    try store.put(answer.value, for: key, in: scope)
  }
}
