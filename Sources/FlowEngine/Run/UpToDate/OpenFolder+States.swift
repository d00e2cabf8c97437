import Dispatch
import FlowPlatform

extension OpenFolder {
  /// The minimum number of files for which several threads are used.
  private static let filesForThreads = 512
  /// The number of files that a thread takes at a time. Slow or late threads take fewer of these parts.
  private static let filesOfPart = 64

  /// The state of each file, or nil if it is not a regular file. If there are many files, several threads share the
  /// work.
  func states(of files: [String]) -> [FileState?] {
    let parts = files.count < Self.filesForThreads ? 1 : (files.count + Self.filesOfPart - 1) / Self.filesOfPart
    return Array(unsafeUninitializedCapacity: files.count) { states, count in
      // Proof of safety: `concurrentPerform` returns when all parts are done, and each part only writes the elements of
      // its own range.
      nonisolated(unsafe) let states = states
      DispatchQueue.concurrentPerform(iterations: parts) { part in
        for index in files.count * part / parts..<files.count * (part + 1) / parts {
          states.initializeElement(at: index, to: FileState(ofRegular: status(of: files[index])))
        }
      }
      count = files.count
    }
  }
}
