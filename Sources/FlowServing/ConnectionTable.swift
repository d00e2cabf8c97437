#if Network
  import NIOCore
  import Synchronization

  /// The open connections, grouped by the address of the client. If there are too many, the connection that has been
  /// idle longest is closed, but never one with a request in progress.
  package final class ConnectionTable: Sendable {
    struct OpenConnection {
      var channel: any Channel
      /// A number that increases with the time at which a connection became idle. Nil while a request is being read or
      /// answered.
      var waitsSince: Int?
    }

    private struct State {
      var next = 0
      var peers: [String: [ObjectIdentifier: OpenConnection]] = [:]
      var count = 0
      var closed = 0
    }

    private let state = Mutex(State())
    private let total: Int
    private let perPeer: Int

    /// Creates a table that allows `total` connections, of which `perPeer` may come from one address.
    package init(total: Int, perPeer: Int) {
      self.total = total
      self.perPeer = perPeer
    }

    /// The number of open connections, and the number of connections that were closed because there were too many.
    package var counts: (open: Int, closed: Int) { state.withLock { ($0.count, $0.closed) } }

    /// Adds a connection. If its address or the whole table then has too many, closes the connection that has been idle
    /// longest among those of this address, or of the address with the most connections. If none of these is idle,
    /// closes the new connection.
    func open(_ channel: any Channel, from peer: String) {
      let surplus = state.withLock { state -> (any Channel)? in
        state.next += 1
        state.peers[peer, default: [:]][ObjectIdentifier(channel)] = OpenConnection(
          channel: channel, waitsSince: state.next)
        state.count += 1
        let crowded: String?
        if state.peers[peer]?.count ?? 0 > perPeer {
          crowded = peer
        } else if state.count > total {
          crowded = state.peers.max { $0.value.count < $1.value.count }?.key
        } else {
          crowded = nil
        }
        guard let crowded else { return nil }
        let waiting = state.peers[crowded]?.values.filter { $0.waitsSince != nil }
        let first = waiting?.min { ($0.waitsSince ?? 0) < ($1.waitsSince ?? 0) }?.channel ?? channel
        Self.remove(first, from: first === channel ? peer : crowded, &state)
        state.closed += 1
        return first
      }
      surplus?.close(promise: nil)
    }

    /// Records whether a connection is idle: false when a request starts to arrive, true when its answer has been sent.
    func setWaiting(_ waits: Bool, _ channel: any Channel, from peer: String) {
      state.withLock { state in
        if waits { state.next += 1 }
        let since = waits ? state.next : nil
        state.peers[peer]?[ObjectIdentifier(channel)]?.waitsSince = since
      }
    }

    /// Removes a connection that was closed.
    func close(_ channel: any Channel, from peer: String) { state.withLock { Self.remove(channel, from: peer, &$0) } }

    private static func remove(_ channel: any Channel, from peer: String, _ state: inout State) {
      guard state.peers[peer]?.removeValue(forKey: ObjectIdentifier(channel)) != nil else { return }
      state.count -= 1
      if state.peers[peer]?.isEmpty == true { state.peers[peer] = nil }
    }
  }
#endif
