import SyncCore

/// The pages of an unfinished fetch. Their changes are applied together after the last page.
struct StagedFetch: Sendable {
  /// The pages as they arrived. Machines are copied at every event, so joining the pages into one list would copy all
  /// records with each page.
  var pages: [ChangePage]
  /// The cursor at the end of the last page.
  var cursor: Cursor
  /// The limits up to which the zone had forgotten deletions when the fetch began.
  var dropped: Dropped
}
