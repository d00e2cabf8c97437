/// The content of one record: its candidate states, and the information needed to merge two copies of it.
///
/// A cell is a join semilattice: `join` is commutative, associative and idempotent (V1–V3), so replicas that have seen
/// the same writes hold equal bytes regardless of order. The winning state is determined on reading (`reading(by:)`),
/// since no pairwise rule with a time window can be associative (F14).
public struct Cell: Hashable, Sendable {
  /// The writes that this cell contains, as the highest number of each device.
  package var context: VersionVector
  /// The latest instant of any state that was ever written, in milliseconds since 1970. A write of fields alone does
  /// not change it, because it does not affect the age of a state.
  package var horizonMilliseconds: Int64
  /// The candidate states, at most one per device (V7), sorted by device.
  package var entries: [StateEntry]
  /// The values that are merged one by one, sorted by name.
  package var fields: [RecordField]
  /// The rest of a record in a collection: its incarnation and its fields that are not `newest`. Empty for rules.
  package var content: RecordContent
  /// Parts written by a newer version, kept unread and sorted by tag (V12).
  package var extensions: [Extension]

  /// Creates a cell without writes.
  package init() {
    context = VersionVector()
    horizonMilliseconds = 0
    entries = []
    fields = []
    content = RecordContent()
    extensions = []
  }

  /// A part of a record in the format of a newer version.
  package struct Extension: Hashable, Sendable {
    /// The kind of the part.
    package var tag: UInt64
    /// The bytes of the part.
    package var bytes: [UInt8]

    /// Creates a part.
    package init(tag: UInt64, bytes: [UInt8]) {
      self.tag = tag
      self.bytes = bytes
    }
  }

  /// The latest stamp in the cell.
  package var latestStamp: Stamp? {
    guard let changed = content.changed else { return latestValue }
    return latestValue.map { max($0, changed) } ?? changed
  }

  /// The latest stamp of any state or field.
  var latestValue: Stamp? {
    var latest: Stamp?
    for entry in entries where latest.map({ entry.stamp > $0 }) ?? true { latest = entry.stamp }
    for field in fields where latest.map({ field.stamp > $0 }) ?? true { latest = field.stamp }
    return latest
  }

  /// Removes a device from the context until it writes again. Returns false if it is already retired or not in the
  /// context.
  package mutating func retire(_ device: DeviceID) -> Bool { context.retire(device) }

  /// Drops states that are older than the window before the horizon (M5).
  mutating func dropOutdated(windowMilliseconds: Int64) {
    let horizon = horizonMilliseconds
    if entries.contains(where: { horizon - $0.milliseconds > windowMilliseconds }) {
      entries.removeAll { horizon - $0.milliseconds > windowMilliseconds }
    }
  }
}
