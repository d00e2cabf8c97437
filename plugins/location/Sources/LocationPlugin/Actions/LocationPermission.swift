import FlowModel
import FlowPluginKit

/// The kept answer of the user: written once, read by every run after.
enum LocationPermission {
  static let scope = "location"
  static let key = "authorization"

  /// What is known, without asking: the platform's record, the kept answer, or nothing yet.
  static func current(in context: ActionContext) throws -> LocationAuthorization {
    let source: any LocationSource = try context.handle(.locationSource)
    if let known = source.authorization() { return known }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    return try store.get(key, in: scope).flatMap { LocationAuthorization($0) } ?? .notDetermined
  }

  /// Keeps the user's answer.
  static func keep(_ answer: LocationAuthorization, in context: ActionContext) throws {
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    try store.put(answer.value, for: key, in: scope)
  }
}
