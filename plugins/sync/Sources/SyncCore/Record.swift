/// A cell as a backend holds it: under a key, with a version that rises by one at each change (F11) and its place in the
/// zone's order of changes.
public struct SyncRecord: Hashable, Sendable {
  /// Which record.
  public var key: RecordKey
  /// Rises by one with every change, from 1; what a commit is compared with (M12).
  public var version: Int64
  /// The zone's sequence number at the last change.
  public var sequence: Int64
  /// The content.
  public var cell: Cell

  /// Makes a record.
  public init(key: RecordKey, version: Int64, sequence: Int64, cell: Cell) {
    self.key = key
    self.version = version
    self.sequence = sequence
    self.cell = cell
  }
}

/// A point in a zone's history: how far its changes have been read.
///
/// A zone that was restored from a backup reaches the same number again by other changes. The tag, which each commit draws
/// at random, distinguishes the two, so a cursor is valid only in the history that it comes from.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// Drawn when the zone is made: a zone that was made again invalidates every cursor.
  public var generation: UInt64
  /// Everything up to this sequence number has been read.
  public var sequence: Int64
  /// The random tag of the commit that made the change with this number; 0 for the start of a zone, for changes of before
  /// commits had tags, and where it is not known.
  public var tag: UInt64

  /// The bytes that a cursor adds to a request, as the traffic budget counts them.
  public static let packedBytes = 24

  /// Makes a cursor.
  public init(generation: UInt64, sequence: Int64, tag: UInt64 = 0) {
    self.generation = generation
    self.sequence = sequence
    self.tag = tag
  }

  /// Reads `generation:sequence:tag`, generation and tag as hexadecimal digits, the tag optional; nil for anything else.
  public init?(_ text: some StringProtocol) {
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

  /// `generation:sequence:tag`, as `init(_:)` reads it; without a tag that is 0.
  public var description: String {
    "\(String(generation, radix: 16)):\(sequence)" + (tag == 0 ? "" : ":\(String(tag, radix: 16))")
  }

  /// Whether this is further in the zone's history than another cursor; any is further than none.
  public func isAfter(_ other: Cursor?) -> Bool { other.map { sequence > $0.sequence } ?? true }
}

/// One change that a device asks a backend to make.
public struct RecordOperation: Hashable, Sendable {
  /// Which record.
  public var key: RecordKey
  /// The version that the device knows, 0 for none. Another one in the store is a conflict (M12).
  public var expectedVersion: Int64
  /// What to do.
  public var change: Change
  /// Which transaction it is a part of: those that follow each other with one number are all done or none.
  public var group: Int64?

  /// What an operation does.
  public enum Change: Hashable, Sendable {
    /// Takes one write in.
    case write(Write)
    /// Joins a whole cell: gives a server that lost its memory back what a device still knows (V23).
    case join(Cell)
    /// Removes a device from the zone until it writes again.
    case retire(DeviceID)
  }

  /// The device that has made it; nil where it does not say.
  public var author: DeviceID? { if case .write(let write) = change { write.dot.device } else { nil } }

  /// Makes an operation.
  public init(key: RecordKey, expectedVersion: Int64, change: Change, group: Int64? = nil) {
    self.key = key
    self.expectedVersion = expectedVersion
    self.change = change
    self.group = group
  }
}
