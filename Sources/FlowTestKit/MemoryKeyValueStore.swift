import FlowModel
import FlowPluginKit
import Synchronization

/// A `KeyValueStore` in memory, for tests of actions.
///
/// It counts reads, and tests can make it fail.
public final class MemoryKeyValueStore: KeyValueStore {
  private struct State {
    var scopes: [String: [String: Value]] = [:]
    var readCount = 0
    var failure: ActionError?
  }

  private let state: Mutex<State>

  /// Creates a store that contains these values in one scope.
  public init(_ values: [String: Value] = [:], in scope: String = "") {
    state = Mutex(State(scopes: [scope: values]))
  }

  /// The number of calls that have read from the store.
  package var readCount: Int { state.withLock { $0.readCount } }

  /// Makes all later calls throw this error. Nil makes them succeed again.
  public func fail(with error: ActionError?) { state.withLock { $0.failure = error } }

  /// Returns the value of `key` in `scope`, or nil if there is none.
  public func get(_ key: String, in scope: String) throws -> Value? { try all(in: scope)[key] }

  /// Returns all values in `scope`, by key.
  public func all(in scope: String) throws -> [String: Value] {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.readCount += 1
      return state.scopes[scope] ?? [:]
    }
  }

  /// Applies all changes, or throws the error set by ``fail(with:)`` without applying any.
  public func apply(_ changes: [KeyValueChange], in scope: String) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      for change in changes {
        switch change {
        case .put(let key, let value): state.scopes[scope, default: [:]][key] = value
        case .delete(let key): state.scopes[scope]?[key] = nil
        }
      }
    }
  }
}
