import Dispatch
import FlowPlatform

extension OpenFolder {
  /// A thread is only worth starting for this many files.
  private static let filesOfThread = 256

  /// The state of each file; nil: there is no regular file. Several threads share the work if there are many files.
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
