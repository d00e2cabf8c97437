import FlowModel
import FlowPluginKit

/// The stored answer of the user: written once, read by every later run.
enum LocationPermission {
  static let scope = "location"
  static let key = "authorization"

  /// The known permission, without asking: the platform's record, the stored answer, or undetermined.
  static func current(in context: ActionContext) throws -> LocationAuthorization {
    let source: any LocationSource = try context.handle(.locationSource)
    if let known = source.authorization() { return known }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    return try store.get(key, in: scope).flatMap { LocationAuthorization($0) } ?? .notDetermined
  }

  /// Stores the user's answer.
  static func keep(_ answer: LocationAuthorization, in context: ActionContext) throws {
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    try store.put(answer.value, for: key, in: scope)
  }
}
