/// A record as stored by a backend: its key, its cell, a version that increases by one with every change (F11), and its
/// position in the zone's order of changes.
public struct SyncRecord: Hashable, Sendable {
  /// The record's key.
  public var key: RecordKey
  /// The version, which starts at 1 and increases by one with every change. A commit must state the current version
  /// (M12).
  public var version: Int64
  /// The sequence number of the record's last change in its zone.
  package var sequence: Int64
  /// The record's content.
  package var cell: Cell

  package init(key: RecordKey, version: Int64, sequence: Int64, cell: Cell) {
    self.key = key
    self.version = version
    self.sequence = sequence
    self.cell = cell
  }
}

/// The position in a zone's history up to which changes have been read.
///
/// A zone restored from a backup uses the same numbers again for other changes. The tag, which each commit draws at
/// random, distinguishes them, so a cursor is valid only in its own history.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// A random number drawn when the zone is created. If the zone is created again, all earlier cursors become invalid.
  package var generation: UInt64
  /// The sequence number up to which all changes have been read.
  package var sequence: Int64
  /// The random tag of the commit that made the change with the number ``sequence``. 0 at the start of a zone, for
  /// changes made before commits had tags, or if the tag is unknown.
  package var tag: UInt64

  /// The size of a cursor in a request, as counted by the traffic budget.
  package static let packedBytes = 24

  package init(generation: UInt64, sequence: Int64, tag: UInt64 = 0) {
    self.generation = generation
    self.sequence = sequence
    self.tag = tag
  }

  /// Parses `generation:sequence:tag`. Generation and tag are hexadecimal; the tag is optional. Returns nil for any
  /// other text.
  package init?(_ text: some StringProtocol) {
    // Not generic from here on: this is parsed for every change that arrives.
    self.init(String(text).utf8[...])
  }

  private init?(_ text: Substring.UTF8View) {
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { Substring($0) }
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

/// A change that a device asks a backend to make.
public struct RecordOperation: Hashable, Sendable {
  package var key: RecordKey
  /// The version of the record on the device, or 0 for a new record. If the stored version differs, the operation
  /// conflicts (M12).
  package var expectedVersion: Int64
  package var change: Change
  /// The number of the operation's transaction, or nil. Consecutive operations with the same number are stored together
  /// or not at all.
  package var group: Int64?

  package enum Change: Hashable, Sendable {
    /// Adds one write.
    case write(Write)
    /// Merges a whole cell. A device uses it to return data that a server has lost (V23).
    case join(Cell)
    /// Retires a device until it writes again.
    case retire(DeviceID)
  }

  /// The author of a write, or nil for other changes.
  package var author: DeviceID? { if case .write(let write) = change { write.dot.device } else { nil } }

  package init(key: RecordKey, expectedVersion: Int64, change: Change, group: Int64? = nil) {
    self.key = key
    self.expectedVersion = expectedVersion
    self.change = change
    self.group = group
  }
}
