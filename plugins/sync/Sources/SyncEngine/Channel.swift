import SyncCore

/// The live channel of a machine and what follows from its state (L2).
struct Channel: Sendable {
  enum State: Hashable, Sendable {
    case closed
    case opening(deadlineMilliseconds: Int64)
    case open(lastSignMilliseconds: Int64)
  }

  var state = State.closed
  /// Tells this connection's signs from those of an earlier one.
  var number = 0
  /// The store that was named when it was opened: an open channel is to that one.
  var store: StoreIdentity?
  var backoff = Backoff()
  var notBeforeMilliseconds: Int64 = 0
  /// Since when there is no channel.
  var downSinceMilliseconds: Int64 = 0
  /// Polls since then.
  var polls = 0
  /// The furthest cursor that a notification has named, and when it came.
  var notified: (cursor: Cursor, atMilliseconds: Int64)?

  var isOpen: Bool {
    if case .open = state { return true }
    return false
  }
}

/// When the machine last did what.
struct Pacing: Sendable {
  var lastPushMilliseconds = Int64.min / 2
  var lastActionMilliseconds: Int64 = 0
  /// The first action that has not been sent since it was made.
  var waitingSinceMilliseconds: Int64?
  var lastPollMilliseconds: Int64 = 0
  /// Conflicts in a row that were tried again at once (M12).
  var conflictsInARow = 0
  /// The most operations in a commit; halved when the server finds them too many.
  var batchLimit = SyncLimits.operations

  static let conflictLimit = 5
  /// How long a notification waits for the answer to a commit that may explain it (own echoes cost nothing).
  static let echoMilliseconds: Int64 = 300
}
