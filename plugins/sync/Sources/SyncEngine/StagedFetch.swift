import SyncCore

/// The pages of an unfinished fetch. Their changes are applied together.
struct StagedFetch: Sendable {
  /// The pages as they arrived. They are not joined into one list of records, because machines are copied at every
  /// event and each page would then copy all records.
  var pages: [ChangePage]
  /// The cursor at the end of the last page.
  var cursor: Cursor
  /// The deletions that the zone had forgotten when the fetch began.
  var dropped: Dropped
}
