import FlowModel

/// A store of small values that outlive a run. `storage` provides one; `preferences` and `router` use it.
///
/// When a call returns, its changes are on disk. Calls may be made on any thread and may block.
public protocol KeyValueStore: Sendable {
  /// Returns the value of `key` in `scope`, or nil if there is none.
  func get(_ key: String, in scope: String) throws -> Value?

  /// Returns all values in `scope`, by key.
  func all(in scope: String) throws -> [String: Value]

  /// Applies all changes in one transaction. If it throws an error, nothing has changed.
  func apply(_ changes: [KeyValueChange], in scope: String) throws
}

/// A change to a ``KeyValueStore``.
public enum KeyValueChange: Sendable, Hashable {
  /// Sets the value of a key, whether or not the key exists.
  case put(key: String, value: Value)
  /// Removes a key and its value. Does nothing if the key does not exist.
  case delete(key: String)
}

extension KeyValueStore {
  package func put(_ value: Value, for key: String, in scope: String) throws {
    try apply([.put(key: key, value: value)], in: scope)
  }

  package func delete(_ key: String, in scope: String) throws {
    try apply([.delete(key: key)], in: scope)
  }
}

extension HandleKey {
  /// The key of a ``KeyValueStore``.
  package static let keyValueStore: HandleKey = "key-value-store"
  /// The key of an open database of the `storage` plugin.
  package static let database: HandleKey = "database"
  /// The key of the ``UserInterface`` that the `ui` plugin provides.
  package static let userInterface: HandleKey = "user-interface"
}
