import SyncCore

/// The incarnations of a zone, oldest first: which generation numbers its changes have borne, and from which sequence
/// number on.
///
/// A store that is opened begins a new incarnation with its first change. So a store that was put back to an old copy
/// parts from what it had been: a cursor from before is beyond the end of its incarnation, or in an incarnation that
/// the copy does not know, and is refused. Without that, a device would miss what the copy lacks as soon as others had
/// written as much as was lost.
public struct ZoneIncarnations: Hashable, Sendable {
  /// One incarnation.
  public struct Incarnation: Hashable, Sendable {
    /// Its number, drawn at random.
    public var generation: UInt64
    /// The last sequence number of the incarnation before.
    public var from: Int64

    /// Makes an incarnation.
    public init(generation: UInt64, from: Int64) {
      self.generation = generation
      self.from = from
    }
  }

  /// The number of incarnations that a store keeps; a cursor of an older one makes its device fetch the zone whole.
  public static let limit = 1000
  private(set) var incarnations: [Incarnation]

  /// The incarnations that a store has kept, oldest first.
  public init(_ incarnations: [Incarnation]) { self.incarnations = incarnations }

  /// Begins an incarnation behind the present sequence number.
  public mutating func begin(generation: UInt64, from sequence: Int64) {
    incarnations.append(Incarnation(generation: generation, from: sequence))
    if incarnations.count > Self.limit { incarnations.removeFirst(incarnations.count - Self.limit) }
  }

  /// Whether a cursor is one that this store has had, given its last sequence number.
  public func holds(_ cursor: Cursor, last: Int64) -> Bool {
    guard let index = incarnations.lastIndex(where: { $0.generation == cursor.generation }) else { return false }
    return cursor.sequence <= (index + 1 < incarnations.count ? incarnations[index + 1].from : last)
  }
}
