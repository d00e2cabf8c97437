import SyncCore

/// The pages of an unfinished fetch, whose changes are applied together.
struct StagedFetch: Sendable {
  /// The pages as they arrived. A single list of all records would be copied with every page, because machines are
  /// copied at every event.
  var pages: [ChangePage]
  /// The end of the last page.
  var cursor: Cursor
  /// The deletions that the zone had forgotten when the fetch began.
  var dropped: Dropped
}
