import Dispatch
import FlowPlatform

extension OpenFolder {
  /// Other threads help from this many files on.
  private static let filesForThreads = 512
  /// The number of files that a thread takes at a time. Threads that start late, or are slow, take fewer of these parts.
  private static let filesOfPart = 64

  /// The state of each file; nil: there is no regular file. Several threads share the work if there are many files.
  func states(of files: [String]) -> [FileState?] {
    let parts = files.count < Self.filesForThreads ? 1 : (files.count + Self.filesOfPart - 1) / Self.filesOfPart
    return Array(unsafeUninitializedCapacity: files.count) { states, count in
      // Proof of safety: `concurrentPerform` returns when all parts are done, and each part writes only the elements of a range of
      // its own.
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
