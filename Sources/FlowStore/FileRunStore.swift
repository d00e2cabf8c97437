import FlowPlatform

/// A run store in a file of this machine.
package protocol FileRunStore: RunStore, AnyObject {
  /// The identity of the file, or nil if it is unknown.
  var identity: FileIdentity? { get }

  /// Prepares ``RunStore/keep(_:definition:chunks:)``. Errors are ignored, because that method throws them again.
  func prepareToKeep()

  /// Flushes all files of the store, so that a durable run may start.
  func prepareForDurable() throws(StoreProblem)

  /// Copies the store to a new file, also while runs continue.
  func backUp(to file: String) throws(StoreProblem)

  /// Returns the space of removed runs to the file system.
  func compact() throws(StoreProblem)

  /// Releases the store before the process ends, unless a thread is using it. The store cannot be used after that.
  func close()
}
