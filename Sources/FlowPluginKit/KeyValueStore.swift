import FlowModel

/// Small values kept across runs under names; `storage` provides one, `preferences` and `router` use it.
///
/// Every call is durable when it returns. Implementations are safe to call from any thread and may block.
public protocol KeyValueStore: Sendable {
  /// The value under `key` in `scope`, or nil.
  func get(_ key: String, in scope: String) throws -> Value?

  /// Every value in `scope`, by key.
  func all(in scope: String) throws -> [String: Value]

  /// Applies all changes in one transaction, or none of them when it throws.
  func apply(_ changes: [KeyValueChange], in scope: String) throws
}

/// One change to a ``KeyValueStore``.
public enum KeyValueChange: Sendable, Hashable {
  /// Writes a value, over what is there.
  case put(key: String, value: Value)
  /// Removes a value; nothing happens when there is none.
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
  /// The user interface behind the `ui` plugin: an ``UserInterface``.
  public static let userInterface: HandleKey = "user-interface"
}
