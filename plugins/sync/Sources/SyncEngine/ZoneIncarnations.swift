import SyncCore

/// The incarnations of a zone, oldest first. Each has a generation and the sequence number after which it starts.
///
/// An opened store starts a new incarnation with its first change. If the store was restored from an old copy, its
/// history therefore differs from the lost one. A cursor of the lost history is refused: it is beyond the end of its
/// incarnation, or the copy does not have its incarnation. Without incarnations, a device would not notice lost changes
/// once other devices had reached the same sequence number again.
package struct ZoneIncarnations: Hashable, Sendable {
  package struct Incarnation: Hashable, Sendable {
    /// The random number that identifies the incarnation.
    package var generation: UInt64
    /// The last sequence number before the incarnation.
    package var from: Int64

    package init(generation: UInt64, from: Int64) {
      self.generation = generation
      self.from = from
    }
  }

  /// The maximum number of incarnations. A device with a cursor of an older one fetches the whole zone.
  package static let limit = 1000
  private(set) var incarnations: [Incarnation]

  package init(_ incarnations: [Incarnation]) { self.incarnations = incarnations }

  /// Starts an incarnation after this sequence number.
  package mutating func begin(generation: UInt64, from sequence: Int64) {
    incarnations.append(Incarnation(generation: generation, from: sequence))
    if incarnations.count > Self.limit { incarnations.removeFirst(incarnations.count - Self.limit) }
  }

  /// True if this history contains the cursor. `last` is the zone's last sequence number.
  package func holds(_ cursor: Cursor, last: Int64) -> Bool {
    guard let index = incarnations.lastIndex(where: { $0.generation == cursor.generation }) else { return false }
    return cursor.sequence <= (index + 1 < incarnations.count ? incarnations[index + 1].from : last)
  }
}
