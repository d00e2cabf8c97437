import FlowModel

/// Small named values that are kept across runs. `storage` provides a store; `preferences` and `router` use it.
///
/// Every call is durable on return. Implementations can be called from any thread and may block.
public protocol KeyValueStore: Sendable {
  /// Returns the value of `key` in `scope`, or nil.
  func get(_ key: String, in scope: String) throws -> Value?

  /// Returns all values in `scope`, by key.
  func all(in scope: String) throws -> [String: Value]

  /// Applies all changes in one transaction. Throws without applying any of them.
  func apply(_ changes: [KeyValueChange], in scope: String) throws
}

/// A change of a ``KeyValueStore``.
public enum KeyValueChange: Sendable, Hashable {
  /// Writes a value, replacing an earlier one.
  case put(key: String, value: Value)
  /// Removes a value, if there is one.
  case delete(key: String)
}

extension KeyValueStore {
  /// Writes one value.
  public func put(_ value: Value, for key: String, in scope: String) throws {
    try apply([.put(key: key, value: value)], in: scope)
  }

  /// Removes one value.
  public func delete(_ key: String, in scope: String) throws {
    try apply([.delete(key: key)], in: scope)
  }
}

extension HandleKey {
  /// A ``KeyValueStore``.
  public static let keyValueStore: HandleKey = "key-value-store"
  /// An open database of the `storage` plugin.
  public static let database: HandleKey = "database"
  /// The user interface of the `ui` plugin: a ``UserInterface``.
  public static let userInterface: HandleKey = "user-interface"
}
