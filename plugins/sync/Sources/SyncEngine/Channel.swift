import SyncCore

/// The state of a machine's live channel (L2).
struct Channel: Sendable {
  enum State: Hashable, Sendable {
    case closed
    case opening(deadlineMilliseconds: Int64)
    case open(lastSignMilliseconds: Int64)
  }

  var state = State.closed
  /// The number of this connection. Messages with the number of an earlier connection are ignored.
  var number = 0
  /// The store that was requested when the channel was opened. An open channel belongs to this store.
  var store: StoreIdentity?
  var backoff = Backoff()
  var notBeforeMilliseconds: Int64 = 0
  /// The time when the channel closed, or when the session started without one.
  var downSinceMilliseconds: Int64 = 0
  /// The number of polls since the channel was last open.
  var polls = 0
  /// The furthest cursor in a notification, and the time of its arrival.
  var notified: (cursor: Cursor, atMilliseconds: Int64)?

  var isOpen: Bool {
    if case .open = state { return true }
    return false
  }

  /// True if the channel is being opened with a required store, so that its first message confirms the store. A
  /// device's first channel requires no store, because it is opened before the first response.
  func willCompare(_ store: StoreIdentity?) -> Bool {
    guard case .opening = state, let store else { return false }
    return self.store == store
  }
}

/// The times of the machine's latest actions and requests.
struct Pacing: Sendable {
  var lastPushMilliseconds = Int64.min / 2
  var lastActionMilliseconds: Int64 = 0
  /// The time of the oldest action that has not been sent, or nil.
  var waitingSinceMilliseconds: Int64?
  var lastPollMilliseconds: Int64 = 0
  /// The number of consecutive commits with a conflict. Up to `conflictLimit` of them are retried immediately (M12).
  var conflictsInARow = 0
  /// The maximum number of operations in a commit. When a commit is rejected as a whole because of its size or content,
  /// this becomes half of its operations. Each commit without conflicts doubles it again.
  var batchLimit = SyncLimits.operations

  static let conflictLimit = 5
  /// The time in milliseconds for which a notification waits while a commit is in flight. The notification may be about
  /// that commit, and a device need not fetch its own changes.
  static let echoMilliseconds: Int64 = 300
}
