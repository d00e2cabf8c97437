import SyncCore

/// The live channel of a machine and the state that depends on it (L2).
struct Channel: Sendable {
  enum State: Hashable, Sendable {
    case closed
    case opening(deadlineMilliseconds: Int64)
    case open(lastSignMilliseconds: Int64)
  }

  var state = State.closed
  /// The number of this connection. Signs of an earlier connection have another number and are ignored.
  var number = 0
  /// The store requested when the channel was opened, which is also the store of an open channel.
  var store: StoreIdentity?
  var backoff = Backoff()
  var notBeforeMilliseconds: Int64 = 0
  /// The time since which the channel has not been open.
  var downSinceMilliseconds: Int64 = 0
  /// The number of polls since then.
  var polls = 0
  /// The furthest notified cursor and the time when it arrived.
  var notified: (cursor: Cursor, atMilliseconds: Int64)?

  var isOpen: Bool {
    if case .open = state { return true }
    return false
  }

  /// True if the channel is opening and requires this store, so that its first sign confirms the store. A device's first
  /// channel requires no store, because it is opened before the first response.
  func willCompare(_ store: StoreIdentity?) -> Bool {
    guard case .opening = state, let store else { return false }
    return self.store == store
  }
}

/// The times of the machine's last actions.
struct Pacing: Sendable {
  var lastPushMilliseconds = Int64.min / 2
  var lastActionMilliseconds: Int64 = 0
  /// The time of the first action that has not been sent.
  var waitingSinceMilliseconds: Int64?
  var lastPollMilliseconds: Int64 = 0
  /// The number of conflicts in a row that were retried at once (M12).
  var conflictsInARow = 0
  /// The maximum number of operations in a commit. Halved when the server refuses a commit as too large.
  var batchLimit = SyncLimits.operations

  static let conflictLimit = 5
  /// The time for which a notification waits for the response to a commit that may have caused it, so that the device
  /// does not fetch its own changes.
  static let echoMilliseconds: Int64 = 300
}
