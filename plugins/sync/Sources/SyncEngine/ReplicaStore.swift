/// The device's own file: keys and values that are saved in transactions.
public protocol ReplicaStore: Sendable {
  /// Returns all saved keys and values.
  func load() async throws(ReplicaError) -> [String: [UInt8]]
  /// Saves the changes in one transaction. If `isDurable` is false, the transaction survives the end of the program,
  /// but a power failure may undo it and all later ones up to the next durable one.
  func save(_ changes: [StoreChange], isDurable: Bool) async throws(ReplicaError)
  /// Waits for a running ``save(_:isDurable:)`` and releases the locks of the file. Nothing is saved until
  /// ``reactivate()``.
  func suspend() async
  /// Locks the file again. Throws if another process has locked it or has written to it since ``suspend()``.
  func reactivate() async throws(ReplicaError)
}

extension ReplicaStore {
  package func save(_ changes: [StoreChange]) async throws(ReplicaError) { try await save(changes, isDurable: true) }

  /// Does nothing. A store without locks has none to release.
  public func suspend() async {}

  /// Does nothing. A store without locks has none to acquire.
  public func reactivate() async throws(ReplicaError) {}
}

/// A new value of one key.
public struct StoreChange: Hashable, Sendable {
  package var key: String
  /// The new value, or nil to remove the key.
  package var value: [UInt8]?

  package init(key: String, value: [UInt8]?) {
    self.key = key
    self.value = value
  }
}

/// The reason why the device's own file cannot be used or an action is refused. The file is left unchanged, including
/// all unsent changes.
public enum ReplicaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A value in the file is damaged.
  case corrupt(key: String, reason: String)
  /// The file was written by a newer version.
  case unsupportedFormat(found: UInt8, known: UInt8)
  /// The file was written by a version that is older than the oldest supported one.
  case removedFormat(found: UInt8, oldest: UInt8)
  /// The file belongs to a zone other than the requested one.
  case otherZone(found: String, asked: String)
  /// The file cannot be read or written, for example because of a full disk or a missing permission.
  case storage(String)
  /// Another process has opened the file for writing.
  case inUse(by: String)
  /// An action exceeds a limit or violates a rule of its record. It has no effect.
  case refused(String)

  /// The problem as text, usually with its remedy.
  public var description: String {
    switch self {
    case .corrupt(let key, let reason):
      "the local file is damaged at '\(key)': \(reason). It is left untouched; move it away to start afresh"
    case .unsupportedFormat(let found, let known):
      "the local file has format \(found) and this version reads formats up to \(known): update flowrun on this device"
    case .removedFormat(let found, let oldest):
      "the local file has format \(found) and this version reads formats from \(oldest) on; move it away, and the device fetches its zone again"
    case .otherZone(let found, let asked):
      "the local file belongs to the zone '\(found)', not to '\(asked)'; name another file or device for that zone"
    case .storage(let reason): "the local file cannot be used: \(reason)"
    case .inUse(let holder):
      "the local file is in use by \(holder); give this one another device name, or end the other"
    case .refused(let reason): reason
    }
  }
}
