import Dispatch
import FlowPlatform

extension OpenFolder {
  /// So many files for each thread are worth the thread.
  private static let filesOfThread = 256

  /// The states of files, nil where there is no regular file. Many are looked up by several threads.
  func states(of files: [String]) -> [FileState?] {
    let threads = max(1, min(activeCores(), files.count / Self.filesOfThread))
    return Array(unsafeUninitializedCapacity: files.count) { states, count in
      // Proof of safety: `concurrentPerform` returns when all threads have ended, and each thread writes only the elements of a
      // range of its own.
      nonisolated(unsafe) let states = states
      DispatchQueue.concurrentPerform(iterations: threads) { thread in
        for index in files.count * thread / threads..<files.count * (thread + 1) / threads {
          states.initializeElement(at: index, to: FileState(ofRegular: status(of: files[index])))
        }
      }
      count = files.count
    }
  }
}
