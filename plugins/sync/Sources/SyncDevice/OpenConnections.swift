import FlowModel
import FlowPluginKit
import Synchronization

/// The open connections of a plugin. Their files are released while the app is in the background.
package final class OpenConnections: SuspendableHandle {
  private let state = Mutex((connections: [ObjectIdentifier: Connection](), isSuspended: false))

  package init() {}

  /// Adds an opened connection. If the app is in the background, the connection's files are released immediately.
  package func add(_ connection: Connection) async {
    let isSuspended = state.withLock { state in
      state.connections[ObjectIdentifier(connection)] = connection
      return state.isSuspended
    }
    if isSuspended { await connection.session.suspend() }
  }

  /// Removes a connection that is being closed.
  package func remove(_ connection: Connection) {
    state.withLock { $0.connections[ObjectIdentifier(connection)] = nil }
  }

  /// Releases the files of all connections. Actions wait until ``reactivate()``.
  package func suspend() async {
    for connection in all(isSuspended: true) { await connection.session.suspend() }
  }

  /// Locks the files again. Throws the first error. A connection whose file cannot be locked stops and writes nothing
  /// more.
  package func reactivate() async throws {
    var problem: (any Error)?
    for connection in all(isSuspended: false) {
      do { try await connection.session.reactivate() } catch { problem = problem ?? error }
    }
    if let problem { throw problem }
  }

  private func all(isSuspended: Bool) -> [Connection] {
    state.withLock { state in
      state.isSuspended = isSuspended
      return Array(state.connections.values)
    }
  }
}

extension HandleKey {
  /// The handle that contains the plugin's open connections.
  package static let syncConnections: HandleKey = "sync-connections"
}
