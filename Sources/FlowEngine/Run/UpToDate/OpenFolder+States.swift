import Dispatch
import FlowPlatform

extension OpenFolder {
  /// The minimum number of files that several threads check in parallel.
  private static let filesForThreads = 512
  /// The number of files in a part. Threads take one part at a time, so a slow thread checks fewer files.
  private static let filesOfPart = 64

  /// Returns the state of each file, or nil if it is not a regular file. Many files are checked by several threads.
  func states(of files: [String]) -> [FileState?] {
    let parts = files.count < Self.filesForThreads ? 1 : (files.count + Self.filesOfPart - 1) / Self.filesOfPart
    return Array(unsafeUninitializedCapacity: files.count) { states, count in
      // Proof of safety: `concurrentPerform` returns when all parts are done, and each part writes only the elements of
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
