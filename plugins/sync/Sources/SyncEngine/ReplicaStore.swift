/// The device's own file: keys and values, changed together or not at all.
public protocol ReplicaStore: Sendable {
  /// Everything that was saved.
  func load() async throws(ReplicaError) -> [String: [UInt8]]
  /// Makes the changes in one transaction, durable when it returns. Those that are not `isDurable` may be lost when the power
  /// fails, whole and with all that came after them, until the next durable ones; never when the program ends.
  func save(_ changes: [StoreChange], isDurable: Bool) async throws(ReplicaError)
  /// Releases the locks of the file, once a running ``save(_:isDurable:)`` has ended. Nothing is saved until ``reactivate()``.
  func suspend() async
  /// Takes the locks of the file again. Throws if another process has the file, or has written it since ``suspend()``.
  func reactivate() async throws(ReplicaError)
}

extension ReplicaStore {
  /// Makes the changes in one transaction, durable when it returns.
  public func save(_ changes: [StoreChange]) async throws(ReplicaError) { try await save(changes, isDurable: true) }

  /// Does nothing: a store without locks has none to release.
  public func suspend() async {}

  /// Does nothing.
  public func reactivate() async throws(ReplicaError) {}
}

/// A new value for a key, nil to remove it.
public struct StoreChange: Hashable, Sendable {
  /// The key.
  public var key: String
  /// Its value.
  public var value: [UInt8]?

  /// Sets or removes a key.
  public init(key: String, value: [UInt8]?) {
    self.key = key
    self.value = value
  }
}

/// Why the device's own file cannot be used. The file is left as it is: what has not been sent is still in it.
public enum ReplicaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A value in it is damaged.
  case corrupt(key: String, reason: String)
  /// It was written by a newer version.
  case unsupportedFormat(found: UInt8, known: UInt8)
  /// It was written by a version before the first that was published.
  case removedFormat(found: UInt8, oldest: UInt8)
  /// It belongs to another zone than the one asked for.
  case otherZone(found: String, asked: String)
  /// It cannot be read or written: a full disk, a missing right.
  case storage(String)
  /// Another process has it open for writing.
  case inUse(by: String)
  /// An action breaks a limit or a rule of the record; nothing has happened.
  case refused(String)

  /// What is wrong and what to do, for a person.
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
