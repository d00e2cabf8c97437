import FlowStore
import Synchronization

/// Releases the store of an app's runs while the app is suspended. iOS ends an app that is suspended while it has a
/// lock on a file in the folder of an app group.
package final class RecordingSuspension: Sendable {
  private let state = Mutex((runs: [ObjectIdentifier: WorkflowRun](), isSuspended: false))

  /// Creates a suspension of no runs.
  package init() {}

  /// Adds a run that is recorded, and returns true if the app is suspended.
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

  /// Records the progress of the runs and releases their store. Returns when no run has a lock.
  package func suspend() async {
    for run in runs(isSuspended: true) { run.suspendJournal() }
  }

  /// Acquires the store again and records the progress made meanwhile. Throws the first problem. A run that another
  /// process has taken over or removed is not recorded any further.
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
  /// The access to the store that a suspended journal reacquires.
  struct Suspension {
    /// The run that was released, and the position up to which this process has written it.
    var released: (run: String, position: RunPosition)?
    /// The end of the run, if it has ended meanwhile.
    var end: (run: StoredRun, pieces: [JournalPiece])?
  }
}

extension WorkflowRun {
  /// Adds the run to those that are released with the app's suspension.
  func startSuspension() {
    guard let journal, let suspension = journal.history.suspension else { return }
    if suspension.add(self) { journal.suspend() }
    // A short run may have ended before it was added.
    if journal.isOver { suspension.remove(self) }
  }

  /// Ends that, unless the end of the run waits for the app.
  func endSuspension() {
    guard let journal, !journal.isWaiting else { return }
    journal.history.suspension?.remove(self)
  }

  fileprivate func suspendJournal() {
    // All entries of a durable run are written before its next steps begin.
    if journal?.history.isDurable == false { writeJournal() }
    journal?.suspend()
  }

  fileprivate func reactivateJournal() -> StoreProblem? {
    guard let journal else { return nil }
    let problem = journal.reactivate()
    if journal.isOver { journal.history.suspension?.remove(self) }
    // Starts of a durable run have waited.
    if journal.history.isDurable { journal.thread.schedule(atNanoseconds: 0) { [self] in flush() } }
    return problem
  }
}
