import SyncCore

/// The messages between a device and a sync server. Commits, changes and their responses are packed like cells; errors,
/// the time and the identity of a store are JSON.
///
/// All received messages are validated. A problem is located by a path such as `operations[2]`. A packed response ends
/// with a checksum, because a message damaged in transit may still be readable. A request has a header for its
/// checksum.
package enum Wire {
  /// The reason why a body cannot be read.
  package struct WireProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The location of the problem as a path of keys.
    package var path: String
    /// The problem, without its location.
    package var message: String
    /// True if the sender uses a newer version.
    package var isOfTheFuture = false
    package var description: String { path.isEmpty ? message : "\(path) \(message)" }

    init(path: String, message: String) { (self.path, self.message) = (path, message) }

    init(_ error: PackingError, in path: String) {
      self.init(path: path, message: path.isEmpty ? "\(error)" : "is damaged: \(error)")
      if case .unsupportedFormat = error { isOfTheFuture = true }
    }
  }

  /// The name of the header with the version of the sender's messages.
  package static let versionHeader = "flowrun-sync-version"
  /// The version of these messages. Since version 2, cursors have tags, and a commit contains the furthest cursor.
  /// Since version 3, every record belongs to a collection, and devices do not report how far they have read. Since
  /// version 4, a device names its store. Since version 5, list elements can be moved. Since version 6, commits and
  /// changes are packed.
  package static let version = 6
  /// The message to a device with an earlier version.
  package static let needsNewer =
    "this sync server needs a flowrun whose messages have version \(version), as this server's own flowrun has; update flowrun on this device (what waits there is kept)"
  /// The message of a device about a server that uses an earlier version.
  package static let serverIsOlder =
    "the sync server is older than this flowrun; update flowrun-sync-server (what waits here is kept)"

  /// The name of the header with the store of a device's data. The header is absent if the device has no store yet.
  package static let storeHeader = "flowrun-sync-store"

  /// The content type of a packed body.
  package static let packedType = "application/octet-stream"

  /// The name of the header with a request's identifier. The response contains the same header.
  package static let requestHeader = "flowrun-request"
}
