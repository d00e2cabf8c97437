import FlowModel
import FlowPluginKit
import RouterCore

/// The pending routes in persistent storage, one value per scope. A route is saved before it is reported as held.
struct PendingArchive: Sendable {
  private static let storeScope = "router"
  private static let keyPrefix = "pending."
  private let store: any KeyValueStore

  init(_ store: any KeyValueStore) { self.store = store }

  /// Replaces the stored routes of a scope, or deletes them if `routes` is empty.
  func save(_ routes: [PendingRoute], scope: String) throws {
    if routes.isEmpty {
      try store.delete(Self.keyPrefix + scope, in: Self.storeScope)
    } else {
      try store.put(.array(routes.map(\.value)), for: Self.keyPrefix + scope, in: Self.storeScope)
    }
  }

  /// Loads the routes that earlier processes saved, by scope. `unreadable` is the number of invalid values.
  func load() throws -> (routes: [String: [PendingRoute]], unreadable: Int) {
    var routes: [String: [PendingRoute]] = [:]
    var unreadable = 0
    for (key, value) in try store.all(in: Self.storeScope) where key.hasPrefix(Self.keyPrefix) {
      let values = value.arrayValue ?? [.null]
      let kept = values.compactMap(PendingRoute.init)
      unreadable += values.count - kept.count
      routes[String(key.dropFirst(Self.keyPrefix.count))] = kept
    }
    return (routes, unreadable)
  }
}
