import FlowPlatform

/// A run store that is a file on this machine.
package protocol FileRunStore: RunStore, AnyObject {
  /// The identity of the file, or nil if it is unknown.
  var identity: FileIdentity? { get }

  /// Prepares ``RunStore/keep(_:definition:chunks:)``. Errors are ignored here, because that method throws them again.
  func prepareToKeep()

  /// Flushes all files of the store to disk, so that a durable run may start.
  func prepareForDurable() throws(StoreProblem)

  /// Copies the store to a new file. Runs may continue during the copy.
  func backUp(to file: String) throws(StoreProblem)

  /// Returns the disk space of removed runs to the file system.
  func compact() throws(StoreProblem)

  /// Releases the store before the process ends, unless a thread is using it. The store cannot be used afterwards.
  func close()
}
