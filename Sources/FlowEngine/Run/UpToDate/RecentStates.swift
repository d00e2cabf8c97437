import FlowModel
import FlowPlatform
import Synchronization

/// The states of files that were read for a fan-out. If the next step checks the same files immediately afterwards, for
/// example because it combines the products of the items, the states are not read again.
///
/// The states are valid for 50 ms, but only until a step of the run begins, because the step may change files.
final class RecentStates: Sendable {
  private struct Looked {
    var folder: String
    var files: [String]
    var states: [FileState?]
    var nanoseconds: Int
  }

  private static let nanoseconds = 50_000_000
  private let looked = Mutex<Looked?>(nil)
  private let isOver = Atomic<Bool>(false)

  /// Stores the states of files. `now` is the time at which they were read.
  func keep(_ states: [FileState?], of files: [String], in folder: String, at now: Int) {
    guard !isOver.load(ordering: .acquiring) else { return }
    looked.withLock { $0 = Looked(folder: folder, files: files, states: states, nanoseconds: now) }
  }

  /// Invalidates all states, because a step is about to begin.
  func end() { isOver.store(true, ordering: .releasing) }

  /// Returns the states of files. Returns nil if the state of one of them is not stored, or if the states are no longer
  /// valid.
  func states(of files: [String], in folder: String, at now: Int) -> [FileState?]? {
    guard !isOver.load(ordering: .acquiring), let known = looked.withLock({ $0 }), known.folder == folder,
      now - known.nanoseconds < Self.nanoseconds
    else { return nil }
    var indices: [ByteName: Int] = Dictionary(minimumCapacity: known.files.count)
    for (index, file) in known.files.enumerated() { indices[ByteName(file)] = index }
    var states: [FileState?] = []
    states.reserveCapacity(files.count)
    for file in files {
      guard let index = indices[ByteName(file)] else { return nil }
      states.append(known.states[index])
    }
    return states
  }
}
