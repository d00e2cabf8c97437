/// A cell as stored by a backend, with its key, a version that rises by one with every change (F11) and its position in
/// the zone's order of changes.
public struct SyncRecord: Hashable, Sendable {
  /// The record's key.
  public var key: RecordKey
  /// The version, which starts at 1 and rises by one with every change. Commits are compared with it (M12).
  public var version: Int64
  /// The zone's sequence number of the last change.
  package var sequence: Int64
  /// The record's content.
  package var cell: Cell

  /// Creates a record.
  package init(key: RecordKey, version: Int64, sequence: Int64, cell: Cell) {
    self.key = key
    self.version = version
    self.sequence = sequence
    self.cell = cell
  }
}

/// A position in a zone's history, up to which its changes have been read.
///
/// A zone restored from a backup reaches the same number again with other changes. The tag, drawn at random by each
/// commit, distinguishes them, so a cursor is valid only in its own history.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// A random number drawn when the zone is created. A zone that is created again invalidates all earlier cursors.
  package var generation: UInt64
  /// The sequence number up to which everything has been read.
  package var sequence: Int64
  /// The random tag of the commit that made the change with this number. 0 at the start of a zone, for changes made
  /// before commits had tags, and if the tag is unknown.
  package var tag: UInt64

  /// The bytes that a cursor adds to a request, as counted by the traffic budget.
  package static let packedBytes = 24

  /// Creates a cursor.
  package init(generation: UInt64, sequence: Int64, tag: UInt64 = 0) {
    self.generation = generation
    self.sequence = sequence
    self.tag = tag
  }

  /// Parses `generation:sequence:tag` with generation and tag in hexadecimal digits; the tag is optional. Returns nil
  /// for anything else.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2 || parts.count == 3, let generation = UInt64(parts[0], radix: 16),
      let sequence = Int64(parts[1]), sequence >= 0
    else { return nil }
    guard parts.count == 3 else {
      self.init(generation: generation, sequence: sequence)
      return
    }
    guard let tag = UInt64(parts[2], radix: 16) else { return nil }
    self.init(generation: generation, sequence: sequence, tag: tag)
  }

  /// The cursor as `generation:sequence:tag`, without the tag if it is 0.
  public var description: String {
    "\(String(generation, radix: 16)):\(sequence)" + (tag == 0 ? "" : ":\(String(tag, radix: 16))")
  }

  /// True if this cursor is later in the zone's history than the other one, or if the other one is nil.
  package func isAfter(_ other: Cursor?) -> Bool { other.map { sequence > $0.sequence } ?? true }
}

/// One change that a device asks a backend to make.
public struct RecordOperation: Hashable, Sendable {
  /// The record's key.
  package var key: RecordKey
  /// The version that the device knows, or 0 for none. If the store has another version, the operation is in conflict
  /// (M12).
  package var expectedVersion: Int64
  /// The requested change.
  package var change: Change
  /// The number of its transaction. Consecutive operations with the same number are stored together or not at all.
  package var group: Int64?

  /// The change that an operation requests.
  package enum Change: Hashable, Sendable {
    /// Adds one write.
    case write(Write)
    /// Merges a whole cell. A device uses it to return data to a server that lost it (V23).
    case join(Cell)
    /// Removes a device from the zone until it writes again.
    case retire(DeviceID)
  }

  /// The author of a write, or nil for any other change.
  package var author: DeviceID? { if case .write(let write) = change { write.dot.device } else { nil } }

  /// Creates an operation.
  package init(key: RecordKey, expectedVersion: Int64, change: Change, group: Int64? = nil) {
    self.key = key
    self.expectedVersion = expectedVersion
    self.change = change
    self.group = group
  }
}
