#if Network
  import SyncCore
  import Synchronization

  /// The positions of zones, as known to this server from its own commits and from notifications.
  ///
  /// If the database has an earlier position, it was restored from an old copy. This is detected even if no connection
  /// was lost.
  final class ZoneCursors: Sendable {
    /// The maximum number of incarnations kept per zone.
    private static let incarnationsLimit = 16

    private let zones = Mutex<[String: Zone]>([:])

    private struct Zone {
      /// True if this server has started an incarnation since it last opened a connection.
      var hasBegun = false
      /// The furthest cursor of each of the latest incarnations, oldest first.
      var known: [Cursor] = []
      /// The incarnation in which the database last contained all known cursors, or nil.
      var verified: UInt64?
    }

    /// True if the next change must start a new incarnation of the zone.
    func mustBegin(_ zone: String) -> Bool { zones.withLock { !($0[zone]?.hasBegun ?? false) } }

    func begun(_ zone: String) { zones.withLock { $0[zone, default: Zone()].hasBegun = true } }

    /// Records that a connection has been opened, possibly to another copy of the database.
    func forgetBegun() { zones.withLock { zones in for zone in zones.keys { zones[zone]?.hasBegun = false } } }

    func note(_ cursor: Cursor, zone: String) {
      zones.withLock { zones in
        var state = zones[zone] ?? Zone()
        if let index = state.known.firstIndex(where: { $0.generation == cursor.generation }) {
          if cursor.isAfter(state.known[index])
            || state.known[index].tag == 0 && cursor.sequence == state.known[index].sequence
          {
            state.known[index] = cursor
          }
        } else {
          state.known.append(cursor)
          if state.known.count > Self.incarnationsLimit { state.known.removeFirst() }
        }
        zones[zone] = state
      }
    }

    /// True if the database's cursor is consistent with the known ones and its incarnation has been verified.
    /// Otherwise, the caller must compare `known` with the database's incarnations.
    func fits(_ cursor: Cursor, zone: String) -> Bool {
      zones.withLock { zones in
        guard let state = zones[zone] else { return true }
        let isBehind = state.known.contains { $0.generation == cursor.generation && $0.sequence > cursor.sequence }
        return !isBehind && (state.known.isEmpty || state.verified == cursor.generation)
      }
    }

    /// Returns the furthest known sequence number of an incarnation, or 0 if it is unknown.
    func furthest(of generation: UInt64, zone: String) -> Int64 {
      zones.withLock { $0[zone]?.known.last { $0.generation == generation }?.sequence ?? 0 }
    }

    /// Returns the tag of a sequence number, or 0 if it is unknown.
    func tag(of sequence: Int64, _ generation: UInt64, zone: String) -> UInt64 {
      zones.withLock { $0[zone]?.known.last { $0.generation == generation && $0.sequence == sequence }?.tag ?? 0 }
    }

    func known(zone: String) -> [Cursor] { zones.withLock { $0[zone]?.known ?? [] } }

    /// Records that the database contained all known cursors in this incarnation.
    func verify(_ generation: UInt64, zone: String) {
      zones.withLock { $0[zone, default: Zone()].verified = generation }
    }

    /// Records that the zone was restored from an old copy. All known cursors are removed, and the next change starts a
    /// new incarnation.
    func goBack(zone: String) { zones.withLock { $0[zone] = nil } }
  }
#endif
