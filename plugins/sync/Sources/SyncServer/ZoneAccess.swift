#if Network
  import SyncEngine
  import Synchronization

  /// The zones and their tokens, both of which can change while the server runs.
  final class ZoneAccess: Sendable {
    private struct State {
      var zones: [String: ZoneToken?]
      var listeners: [AsyncStream<Set<String>>.Continuation] = []
    }

    private let state: Mutex<State>
    /// A token to compare for an unknown zone, so that the check takes as long as for a known zone.
    private static let nobody = ZoneToken(ZoneToken.random())

    init(_ zones: [String: ZoneToken?]) { state = Mutex(State(zones: zones)) }

    var names: Set<String> { state.withLock { Set($0.zones.keys) } }

    /// Returns a stream of the names of all zones: the current names, and the new ones after each change.
    func changes() -> AsyncStream<Set<String>> {
      let (stream, continuation) = AsyncStream.makeStream(of: Set<String>.self, bufferingPolicy: .bufferingNewest(1))
      state.withLock { state in
        state.listeners.append(continuation)
        continuation.yield(Set(state.zones.keys))
      }
      return stream
    }

    /// Replaces zones and tokens. Returns the removed zones and the zones with a new token. Their clients must
    /// reconnect.
    func replace(with zones: [String: ZoneToken?]) -> [String] {
      state.withLock { state in
        let closed = state.zones.filter { name, token in zones[name] != .some(token) }.map(\.key)
        state.zones = zones
        for listener in state.listeners { listener.yield(Set(zones.keys)) }
        return closed
      }
    }

    /// Throws unless `authorization` is `Bearer` with the zone's token, or the zone has no token. If any zone has a
    /// token, an unknown zone leads to the same comparison and the same error as a wrong token, so that clients cannot
    /// find out which zones exist.
    func check(zone: String, authorization: String?) throws(BackendError) {
      let prefix = "Bearer "
      let given = authorization.flatMap { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : nil } ?? ""
      let (known, isOpenToAll) = state.withLock { ($0.zones[zone], $0.zones.values.allSatisfy { $0 == nil }) }
      // A zone without a token is open to this machine. If no zone has a token, it is safe to report that a zone does
      // not exist.
      if case .some(nil) = known { return }
      let token = known ?? nil
      if (token ?? Self.nobody).isHash(of: given), token != nil { return }
      if isOpenToAll { throw .zoneMissing(zone) }
      throw .notAuthenticated(
        given.isEmpty ? "the zone '\(zone)' needs a token" : "the token does not open the zone '\(zone)'")
    }
  }
#endif
