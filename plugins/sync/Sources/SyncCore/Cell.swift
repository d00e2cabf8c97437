/// The content of one record: its candidate states and the data needed to merge two copies of it.
///
/// A cell is a join semilattice: `join` is commutative, associative and idempotent (V1–V3). Replicas that have seen the
/// same writes therefore have equal bytes, regardless of order. The winning state is determined on reading
/// (`reading(by:)`), because no pairwise rule with a time window is associative (F14).
public struct Cell: Hashable, Sendable {
  /// The writes that this cell contains, as the highest number of each device.
  package var context: VersionVector
  /// The time of the latest state written in this incarnation, in milliseconds since 1970. Writes that only set fields
  /// do not change it, because they do not affect the age of a state.
  package var horizonMilliseconds: Int64
  /// The candidate states, at most one per device (V7), sorted by device.
  package var entries: [StateEntry]
  /// The fields with the rule `newest`, sorted by name.
  package var fields: [RecordField]
  /// The incarnation of a record in a collection, the writes that keep it alive, and its fields with rules other than
  /// `newest`. Empty for a record that contains rules.
  package var content: RecordContent
  /// The parts written by a newer version, kept unread and sorted by tag (V12).
  package var extensions: [Extension]

  package init() {
    context = VersionVector()
    horizonMilliseconds = 0
    entries = []
    fields = []
    content = RecordContent()
    extensions = []
  }

  /// A part of a record that only a newer version can read.
  package struct Extension: Hashable, Sendable {
    package var tag: UInt64
    package var bytes: [UInt8]

    package init(tag: UInt64, bytes: [UInt8]) {
      self.tag = tag
      self.bytes = bytes
    }
  }

  package var latestStamp: Stamp? {
    guard let changed = content.changed else { return latestValue }
    return latestValue.map { max($0, changed) } ?? changed
  }

  /// The latest stamp of any state or `newest` field.
  var latestValue: Stamp? {
    var latest: Stamp?
    for entry in entries where latest.map({ entry.stamp > $0 }) ?? true { latest = entry.stamp }
    for field in fields where latest.map({ field.stamp > $0 }) ?? true { latest = field.stamp }
    return latest
  }

  /// Retires a device until it writes again. Returns false if it is already retired or not in the context.
  package mutating func retire(_ device: DeviceID) -> Bool { context.retire(device) }

  /// Drops states that are older than the horizon by more than the window (M5).
  mutating func dropOutdated(windowMilliseconds: Int64) {
    let horizon = horizonMilliseconds
    if entries.contains(where: { horizon - $0.milliseconds > windowMilliseconds }) {
      entries.removeAll { horizon - $0.milliseconds > windowMilliseconds }
    }
  }
}
