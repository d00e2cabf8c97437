import SyncCore

/// Where a zone lives: four calls, each atomic within the zone. An adapter for another service is one file.
///
/// Every implementation passes the same conformance suite and lets `Arbiter.decide` decide inside its transaction.
public protocol SyncBackend: Sendable {
  /// Makes changes, each on its own: one that conflicts or is refused does not stop the others.
  ///
  /// Throws for the request as a whole; then none, some or all of the changes may have been made, and asking again is
  /// safe (M4). At most `SyncLimits.operations` at once.
  func commit(_ operations: [Operation], zone: String) async throws(BackendError) -> CommitReply

  /// The records that changed after a cursor, oldest change first; nil for the whole zone.
  ///
  /// Gives at most `limit` records and, beyond the first, at most `maximumBytes` of packed cells. Of records that do not
  /// belong to the subscription it gives the keys alone, and without a cursor nothing; without a subscription all belong.
  /// Throws `BackendError.cursorExpired` for a cursor of another life of the zone.
  func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int, of subscription: Subscription?
  ) async throws(BackendError) -> ChangePage

  /// Pokes while the stream is read: the zone's present cursor at once and after each change, without content. The latest
  /// is repeated every 5 s until `device` has fetched it. Ends by throwing a `BackendError` when the channel closes.
  func watch(zone: String, device: DeviceID) -> AsyncThrowingStream<ChannelSign, any Error>

  /// The server's clock in milliseconds since 1970.
  func serverTime() async throws(BackendError) -> Int64
}

extension SyncBackend {
  /// The records that changed after a cursor, whichever they are.
  public func changes(
    zone: String, since cursor: Cursor?, limit: Int, maximumBytes: Int
  ) async throws(BackendError) -> ChangePage {
    try await changes(zone: zone, since: cursor, limit: limit, maximumBytes: maximumBytes, of: nil)
  }
}

/// What comes down a live channel.
public enum ChannelSign: Hashable, Sendable {
  /// The zone has changed up to here.
  case poke(Cursor)
  /// Nothing has changed; the channel lives.
  case alive
  /// The server's store can be reached again; the zone has changed up to here.
  case recovered(Cursor)

  /// How far the zone has changed, nil when the sign says nothing of that.
  public var cursor: Cursor? {
    switch self {
    case .poke(let cursor), .recovered(let cursor): cursor
    case .alive: nil
    }
  }
}

/// How many things a backend takes or gives at once.
public enum SyncLimits {
  /// Operations in one commit.
  public static let operations = 200
  /// Records in one page of changes.
  public static let records = 2000
  /// How many bytes of writes to collections' records go in one commit: encoded, they fit into a body.
  public static let batchBytes = 700_000
  /// The largest body of a request in bytes.
  public static let bodyBytes = 1_048_576
  /// How often an unfetched poke is repeated, in milliseconds.
  public static let pokeRepeatMilliseconds: Int64 = 5000
  /// How many times an unfetched poke is repeated.
  public static let pokeRepeats = 12
  /// How often a live channel shows that it lives, in milliseconds.
  public static let keepAliveMilliseconds: Int64 = 30_000
}

/// What became of a commit's operations, in their order.
public struct CommitReply: Hashable, Sendable {
  /// One result an operation.
  public var results: [CommitResult]
  /// Which life of the zone the sequence numbers belong to.
  public var generation: UInt64
  /// The server's clock when it answered, in milliseconds since 1970.
  public var serverMilliseconds: Int64

  /// Makes a reply.
  public init(results: [CommitResult], generation: UInt64, serverMilliseconds: Int64) {
    self.results = results
    self.generation = generation
    self.serverMilliseconds = serverMilliseconds
  }
}

/// What became of one operation.
public enum CommitResult: Hashable, Sendable {
  /// Done: the record's new version, its place in the zone's order, and the stamps that the acts of a write got.
  case committed(version: Int64, sequence: Int64, stamps: [Stamp])
  /// The record says so already.
  case unchanged
  /// The record has another version than expected: here it is, nil when there is none.
  case conflict(Record?)
  /// It can never succeed.
  case refused(Arbiter.Refusal)
}

/// A page of changes.
public struct ChangePage: Hashable, Sendable {
  /// The changed records, oldest change first.
  public var records: [Record]
  /// Those that do not belong to what was subscribed to.
  public var others: [RecordMention]
  /// Where the page ends.
  public var cursor: Cursor
  /// Whether there is more behind it.
  public var hasMore: Bool
  /// The server's clock when it answered, in milliseconds since 1970.
  public var serverMilliseconds: Int64
  /// What the zone has forgotten. A cursor before that is no longer good: its device reads the zone whole.
  public var dropped: Dropped

  /// Makes a page.
  public init(
    records: [Record], cursor: Cursor, hasMore: Bool, serverMilliseconds: Int64, dropped: Dropped = Dropped(),
    others: [RecordMention] = []
  ) {
    self.dropped = dropped
    self.others = others
    self.records = records
    self.cursor = cursor
    self.hasMore = hasMore
    self.serverMilliseconds = serverMilliseconds
  }
}
