/// The content of one record: the set of states that are still in question, and what is needed to join two copies of it.
///
/// A cell is a join semilattice: `join` is commutative, associative and idempotent (V1–V3), so replicas that have seen
/// the same writes hold equal bytes whatever the order. Which state *counts* is decided on reading (`reading(by:)`), since
/// no pairwise rule with a time window can be associative (F14).
public struct Cell: Hashable, Sendable {
  /// Every write this cell has taken in, as the highest number of each device.
  public var context: VersionVector
  /// The latest instant of any write of a state ever, in milliseconds since 1970. A write of fields alone says nothing about
  /// the age of a state, and leaves it.
  public var horizonMilliseconds: Int64
  /// The states in question, sorted by device: at most one a device (V7).
  public var entries: [StateEntry]
  /// The values that are merged one by one, sorted by name.
  public var fields: [RecordField]
  /// What else a record of a collection holds; empty in the rules of one.
  public var content: RecordContent
  /// Parts that a newer version wrote and this one keeps without knowing them, sorted by tag (V12).
  public var extensions: [Extension]

  /// A cell without writes.
  public init() {
    context = VersionVector()
    horizonMilliseconds = 0
    entries = []
    fields = []
    content = RecordContent()
    extensions = []
  }

  /// A part of a record in a format of the future.
  public struct Extension: Hashable, Sendable {
    /// What part it is.
    public var tag: UInt64
    /// Its bytes.
    public var bytes: [UInt8]

    /// Makes a part.
    public init(tag: UInt64, bytes: [UInt8]) {
      self.tag = tag
      self.bytes = bytes
    }
  }

  /// The latest stamp in the cell: what someone who looks at it has seen.
  public var latestStamp: Stamp? {
    guard let changed = content.changed else { return latestValue }
    return latestValue.map { max($0, changed) } ?? changed
  }

  /// The latest stamp of a state or of a field.
  var latestValue: Stamp? {
    var latest: Stamp?
    for entry in entries where latest.map({ entry.stamp > $0 }) ?? true { latest = entry.stamp }
    for field in fields where latest.map({ field.stamp > $0 }) ?? true { latest = field.stamp }
    return latest
  }

  /// Takes a device's place in the zone from it until it writes again; false when it has none here.
  public mutating func retire(_ device: DeviceID) -> Bool { context.retire(device) }

  /// Drops what is further than the window before the horizon (M5).
  mutating func dropOutdated(windowMilliseconds: Int64) {
    let horizon = horizonMilliseconds
    if entries.contains(where: { horizon - $0.milliseconds > windowMilliseconds }) {
      entries.removeAll { horizon - $0.milliseconds > windowMilliseconds }
    }
  }
}
