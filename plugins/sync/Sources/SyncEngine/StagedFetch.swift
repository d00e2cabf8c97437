import SyncCore

/// Pages of a fetch that is not at its end: what it brings is shown together.
struct StagedFetch: Sendable {
  /// As they came: machines are copied at every event, and one list of all records would be copied with each page.
  var pages: [ChangePage]
  /// Where the last one ends.
  var cursor: Cursor
  /// What the zone had forgotten when the fetch began.
  var dropped: Dropped
}
