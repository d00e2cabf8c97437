import SyncEngine

/// Reports when synchronization starts and when everything has been sent (S38).
package struct SyncProgress {
  private var isTold = false

  package init() {}

  /// Returns the line for a notice, or nil if the notice marks neither the start nor the end of sending changes.
  package mutating func take(_ notice: SyncMachine.Notice, _ machine: SyncMachine) -> String? {
    guard case .synchronizing(let isBusy) = notice else { return nil }
    if isBusy, !isTold, !machine.isFlushed {
      isTold = true
      return "syncing…"
    }
    if !isBusy, isTold, machine.isFlushed {
      isTold = false
      return "synced"
    }
    return nil
  }
}
