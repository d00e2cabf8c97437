import FlowStore
import Synchronization

/// Releases the run store while the app is suspended. iOS ends a suspended app that has a lock on a file in the folder
/// of an app group.
package final class RecordingSuspension: Sendable {
  private let state = Mutex((runs: [ObjectIdentifier: WorkflowRun](), isSuspended: false))

  /// Creates an object without runs.
  package init() {}

  /// Adds a recorded run. Returns true if the app is suspended.
  func add(_ run: WorkflowRun) -> Bool {
    state.withLock { state in
      state.runs[ObjectIdentifier(run)] = run
      return state.isSuspended
    }
  }

  /// Removes a run whose end has been recorded.
  func remove(_ run: WorkflowRun) {
    state.withLock { $0.runs[ObjectIdentifier(run)] = nil }
  }

  /// Records the progress of the runs and releases their store. When it returns, no run has a lock.
  package func suspend() async {
    for run in runs(isSuspended: true) { run.suspendJournal() }
  }

  /// Acquires the store again and records the progress that the runs have made in the meantime. Throws the first
  /// problem. A run that another process has taken over or removed is no longer recorded.
  package func reactivate() async throws(StoreProblem) {
    var problem: StoreProblem?
    for run in runs(isSuspended: false) {
      let found = run.reactivateJournal()
      problem = problem ?? found
    }
    if let problem { throw problem }
  }

  private func runs(isSuspended: Bool) -> [WorkflowRun] {
    state.withLock { state in
      state.isSuspended = isSuspended
      return Array(state.runs.values)
    }
  }
}

extension RunJournal {
  /// The state from which a suspended journal continues.
  struct Suspension {
    /// The run whose lease was released, and the position up to which this process has written its journal. Nil if no
    /// lease was held.
    var released: (run: String, position: RunPosition)?
    /// The end of the run, or nil if the run has not ended during the suspension.
    var end: (run: StoredRun, pieces: [JournalPiece])?
  }
}

extension WorkflowRun {
  /// Adds the run to the runs that are released while the app is suspended.
  func startSuspension() {
    guard let journal, let suspension = journal.history.suspension else { return }
    if suspension.add(self) { journal.suspend() }
    // A short run may have ended before it was added here.
    if journal.isOver { suspension.remove(self) }
  }

  /// Removes the run from the runs that are released while the app is suspended, unless its end must still be written.
  func endSuspension() {
    guard let journal, !journal.isWaiting else { return }
    journal.history.suspension?.remove(self)
  }

  fileprivate func suspendJournal() {
    // A durable run has no unwritten entries, because they are written before its next steps begin.
    if journal?.history.isDurable == false { writeJournal() }
    journal?.suspend()
  }

  fileprivate func reactivateJournal() -> StoreProblem? {
    guard let journal else { return nil }
    let problem = journal.reactivate()
    if journal.isOver { journal.history.suspension?.remove(self) }
    // The starts of a durable run's steps have waited, so write them now.
    if journal.history.isDurable { journal.thread.schedule(atNanoseconds: 0) { [self] in flush() } }
    return problem
  }
}
