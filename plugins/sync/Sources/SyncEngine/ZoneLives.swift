import SyncCore

/// The lives of a zone, oldest first: which generation numbers its changes have borne, and from which sequence number on.
///
/// A store that is opened begins a new life with its first change. So a store that was put back to an old copy parts from
/// what it had been: a cursor from before lies beyond the end of its life, or in a life that the copy does not know, and is
/// refused. Without that, a device would miss what the copy lacks as soon as others had written as much as was lost.
public struct ZoneLives: Hashable, Sendable {
  /// One life.
  public struct Life: Hashable, Sendable {
    /// Its number, drawn at random.
    public var generation: UInt64
    /// The last sequence number of the life before.
    public var from: Int64

    /// Makes a life.
    public init(generation: UInt64, from: Int64) {
      self.generation = generation
      self.from = from
    }
  }

  /// How many lives a store keeps; a cursor of an older one makes its device fetch the zone whole.
  public static let limit = 1000
  private var lives: [Life]

  /// The lives that a store has kept, oldest first.
  public init(_ lives: [Life]) { self.lives = lives }

  /// Begins a life behind the present sequence number.
  public mutating func begin(generation: UInt64, from sequence: Int64) {
    lives.append(Life(generation: generation, from: sequence))
    if lives.count > Self.limit { lives.removeFirst(lives.count - Self.limit) }
  }

  /// Whether a cursor is one that this store has had, given its last sequence number.
  public func holds(_ cursor: Cursor, last: Int64) -> Bool {
    guard let index = lives.lastIndex(where: { $0.generation == cursor.generation }) else { return false }
    return cursor.sequence <= (index + 1 < lives.count ? lives[index + 1].from : last)
  }
}
