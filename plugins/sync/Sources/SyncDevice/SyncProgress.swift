import SyncEngine

/// Says when what was done here begins to be sent and when all of it has been (S38).
package struct SyncProgress {
  private var isTold = false

  /// Nothing has begun.
  package init() {}

  /// A line for a notice, nil if nothing begins or ends.
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
