#if Network
  import SyncCore
  import Synchronization

  /// The positions of zones as known to this server, from its own commits and from notifications.
  ///
  /// A database with an earlier position was restored from an old copy, even if no connection broke meanwhile.
  final class ZoneCursors: Sendable {
    /// The maximum number of incarnations stored per zone.
    private static let incarnationsLimit = 16

    private let zones = Mutex<[String: Zone]>([:])

    private struct Zone {
      /// True if this server has started an incarnation since one of its connections was last opened.
      var hasBegun = false
      /// The furthest cursor of each of the latest incarnations, oldest first.
      var known: [Cursor] = []
      /// The incarnation in which all known cursors were last found in the database.
      var verified: UInt64?
    }

    /// True if the next change must start an incarnation of the zone.
    func mustBegin(_ zone: String) -> Bool { zones.withLock { !($0[zone]?.hasBegun ?? false) } }

    /// Records that an incarnation was started.
    func begun(_ zone: String) { zones.withLock { $0[zone, default: Zone()].hasBegun = true } }

    /// Records that a connection was opened, after which the database may be another copy.
    func forgetBegun() { zones.withLock { zones in for zone in zones.keys { zones[zone]?.hasBegun = false } } }

    /// Records a cursor of the zone.
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

    /// True if the database's cursor is consistent with known ones. If not, or if it is in another incarnation than
    /// before, `known` must be compared with a newer reading.
    func fits(_ cursor: Cursor, zone: String) -> Bool {
      zones.withLock { zones in
        guard let state = zones[zone] else { return true }
        let isBehind = state.known.contains { $0.generation == cursor.generation && $0.sequence > cursor.sequence }
        return !isBehind && (state.known.isEmpty || state.verified == cursor.generation)
      }
    }

    /// The furthest position in an incarnation.
    func furthest(of generation: UInt64, zone: String) -> Int64 {
      zones.withLock { $0[zone]?.known.last { $0.generation == generation }?.sequence ?? 0 }
    }

    /// The tag of a number, or 0 if it is not known here.
    func tag(of sequence: Int64, _ generation: UInt64, zone: String) -> UInt64 {
      zones.withLock { $0[zone]?.known.last { $0.generation == generation && $0.sequence == sequence }?.tag ?? 0 }
    }

    /// The known cursors of the zone.
    func known(zone: String) -> [Cursor] { zones.withLock { $0[zone]?.known ?? [] } }

    /// Records that all known cursors were found in this incarnation.
    func verify(_ generation: UInt64, zone: String) {
      zones.withLock { $0[zone, default: Zone()].verified = generation }
    }

    /// Records that the zone was restored from an old copy: known cursors are dropped, and the next change starts an
    /// incarnation.
    func goBack(zone: String) { zones.withLock { $0[zone] = nil } }
  }
#endif
