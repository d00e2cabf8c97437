import FlowModel
import FlowPluginKit
import Synchronization

/// Small values in memory, for tests of actions that use a `KeyValueStore`; gone with the test.
///
/// It counts how often it is read and can be made to fail, which a file cannot do so easily.
public final class MemoryKeyValueStore: KeyValueStore {
  private struct State {
    var scopes: [String: [String: Value]] = [:]
    var readCount = 0
    var failure: ActionError?
  }

  private let state: Mutex<State>

  /// A store that holds these values of one scope.
  public init(_ values: [String: Value] = [:], in scope: String = "") {
    state = Mutex(State(scopes: [scope: values]))
  }

  /// How often ``get(_:in:)`` and ``all(in:)`` were called.
  public var readCount: Int { state.withLock { $0.readCount } }

  /// Makes every later call throw; nil: no longer.
  public func fail(with error: ActionError?) { state.withLock { $0.failure = error } }

  /// The value under `key` in `scope`, or nil.
  public func get(_ key: String, in scope: String) throws -> Value? { try all(in: scope)[key] }

  /// Every value in `scope`, by key.
  public func all(in scope: String) throws -> [String: Value] {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.readCount += 1
      return state.scopes[scope] ?? [:]
    }
  }

  /// Applies all changes.
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
