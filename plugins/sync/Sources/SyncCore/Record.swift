/// A cell as a backend holds it: under a key, with a version that rises by one at each change (F11) and its place in the
/// zone's order of changes.
public struct Record: Hashable, Sendable {
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

/// A place in a zone's order of changes, valid for one life of the zone.
public struct Cursor: Hashable, Sendable, CustomStringConvertible {
  /// Drawn when the zone is made: a zone that was made anew invalidates every cursor.
  public var generation: UInt64
  /// Everything up to this sequence number has been read.
  public var sequence: Int64

  /// Makes a cursor.
  public init(generation: UInt64, sequence: Int64) {
    self.generation = generation
    self.sequence = sequence
  }

  /// Reads `generation:sequence`, the generation as hexadecimal digits; nil for anything else.
  public init?(_ text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let generation = UInt64(parts[0], radix: 16), let sequence = Int64(parts[1]), sequence >= 0
    else { return nil }
    self.init(generation: generation, sequence: sequence)
  }

  /// `generation:sequence`, as `init(_:)` reads it.
  public var description: String { "\(String(generation, radix: 16)):\(sequence)" }
}

/// One change that a device asks a backend to make.
public struct Operation: Hashable, Sendable {
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
    /// Takes a device's place in the zone from it, until it writes again.
    case retire(DeviceID)
    /// Says how far a device has read and that nothing which it wrote before waits to be sent. It changes no record: a
    /// deletion that all devices have seen is forgotten.
    case seen(DeviceID, Cursor)
  }

  /// What says how far a device has read.
  public static func seen(_ cursor: Cursor, by device: DeviceID) -> Operation {
    Operation(
      key: RecordKey(type: "_seen", name: device.name), expectedVersion: 0, change: .seen(device, cursor))
  }

  /// Makes an operation.
  public init(key: RecordKey, expectedVersion: Int64, change: Change, group: Int64? = nil) {
    self.key = key
    self.expectedVersion = expectedVersion
    self.change = change
    self.group = group
  }
}
