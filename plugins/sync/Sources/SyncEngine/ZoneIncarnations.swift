import SyncCore

/// The incarnations of a zone, oldest first, each with its generation and the sequence number at which it starts.
///
/// An opened store starts a new incarnation with its first change. A store restored from an old copy thus differs from
/// its earlier history: a cursor from before is beyond the end of its incarnation or in one that the copy does not
/// know, and is refused. Otherwise a device would miss lost changes as soon as others had written the same number
/// again.
public struct ZoneIncarnations: Hashable, Sendable {
  /// One incarnation.
  public struct Incarnation: Hashable, Sendable {
    /// Its number, drawn at random.
    public var generation: UInt64
    /// The last sequence number of the incarnation before.
    public var from: Int64

    /// Creates an incarnation.
    public init(generation: UInt64, from: Int64) {
      self.generation = generation
      self.from = from
    }
  }

  /// The maximum number of incarnations in a store. A device with a cursor of an older one fetches the whole zone.
  public static let limit = 1000
  private(set) var incarnations: [Incarnation]

  /// Creates the list of a store's incarnations, oldest first.
  public init(_ incarnations: [Incarnation]) { self.incarnations = incarnations }

  /// Starts an incarnation after the present sequence number.
  public mutating func begin(generation: UInt64, from sequence: Int64) {
    incarnations.append(Incarnation(generation: generation, from: sequence))
    if incarnations.count > Self.limit { incarnations.removeFirst(incarnations.count - Self.limit) }
  }

  /// True if a cursor belongs to this history, given the last sequence number.
  public func holds(_ cursor: Cursor, last: Int64) -> Bool {
    guard let index = incarnations.lastIndex(where: { $0.generation == cursor.generation }) else { return false }
    return cursor.sequence <= (index + 1 < incarnations.count ? incarnations[index + 1].from : last)
  }
}
