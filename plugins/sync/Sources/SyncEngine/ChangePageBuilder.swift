import SyncCore

/// Builds a page of changes in the same way for every backend. Changed records are added in order until the page is
/// full.
package struct ChangePageBuilder {
  /// The maximum number of records examined for one page, including those outside the device's subscription.
  package static let scanned = 200_000

  private let subscription: SyncSubscription?
  private let mentionsAll: Bool
  private let present: Int64
  private let limit: Int
  private let maximumBytes: Int
  private var bytes = 0
  private var scanned = 0
  private var records: [SyncRecord] = []
  private var others: [RecordMention] = []
  private var last: Int64
  private var hasMore = false

  /// Starts a page of the changes after `cursor`. `present` is the zone's last sequence number when the fetch began.
  package init(
    _ subscription: SyncSubscription?, since cursor: Cursor?, present: Int64, limit: Int, maximumBytes: Int
  ) {
    self.subscription = subscription
    // A device without a cursor has no records yet. It needs mentions only of records that change during the fetch.
    mentionsAll = cursor != nil
    self.present = present
    self.limit = min(max(limit, 1), SyncLimits.records)
    self.maximumBytes = maximumBytes
    last = cursor?.sequence ?? 0
  }

  /// The sequence number of the last change that the page covers.
  package var end: Int64 { last }

  /// The maximum number of further records to read, including one that shows whether more follow.
  package var room: Int { limit - records.count - others.count + 1 }

  /// Adds the next changed record, whose packed cell has `size` bytes. Returns false if the page is full or ``scanned``
  /// records have been examined.
  package mutating func take(_ record: SyncRecord, bytes size: Int) -> Bool {
    let isWanted = subscription?.includes(record.key, record.cell) ?? true
    let isMentioned = !isWanted && (mentionsAll || record.sequence > present)
    let size = isWanted ? size : isMentioned ? record.key.type.utf8.count + record.key.name.utf8.count + 16 : 0
    let count = records.count + others.count
    let isFull = (isWanted || isMentioned) && (count == limit || (count > 0 && bytes + size > maximumBytes))
    if isFull || scanned == Self.scanned {
      hasMore = true
      return false
    }
    scanned += 1
    bytes += size
    last = record.sequence
    if isWanted { records.append(record) }
    if isMentioned {
      others.append(RecordMention(key: record.key, sequence: record.sequence))
    }
    return true
  }

  /// Returns the finished page. `cursor` is the zone's current position, `tag` returns the tag of a sequence number,
  /// and `isCut` is true if the caller has not read all changes.
  package func page<Failure: Error>(
    at cursor: Cursor, in store: StoreIdentity, serverMilliseconds: Int64, dropped: Dropped, isCut: Bool = false,
    tag: (Int64) throws(Failure) -> UInt64
  ) throws(Failure) -> ChangePage {
    let hasMore = hasMore || isCut
    let end = hasMore ? last : max(cursor.sequence, last)
    return ChangePage(
      store: store, records: records,
      cursor: Cursor(
        generation: cursor.generation, sequence: end, tag: end == cursor.sequence ? cursor.tag : try tag(end)),
      hasMore: hasMore,
      serverMilliseconds: serverMilliseconds, dropped: dropped, others: others)
  }
}
