#if Network
  import SyncCore
  import Synchronization

  /// How far the zones have come, as far as this server knows: from its own commits and from what others notify.
  ///
  /// A database that says less has been put back to an old copy, also when no connection broke meanwhile.
  final class ZoneCursors: Sendable {
    /// How many incarnations of a zone are kept in mind.
    private static let incarnationsLimit = 16

    private let zones = Mutex<[String: Zone]>([:])

    private struct Zone {
      /// Whether this server has begun an incarnation since one of its connections was last opened.
      var hasBegun = false
      /// The furthest cursor known in each of the latest lives, the oldest first.
      var known: [Cursor] = []
      /// The incarnation in which everything known was last found in the database.
      var verified: UInt64?
    }

    /// Whether the next change must begin an incarnation of the zone.
    func mustBegin(_ zone: String) -> Bool { zones.withLock { !($0[zone]?.hasBegun ?? false) } }

    /// An incarnation has been begun.
    func begun(_ zone: String) { zones.withLock { $0[zone, default: Zone()].hasBegun = true } }

    /// A connection has been opened: the database may be another copy.
    func forgetBegun() { zones.withLock { zones in for zone in zones.keys { zones[zone]?.hasBegun = false } } }

    /// The zone has been there.
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

    /// Whether what the database says fits what is known; if not, or if it is in another incarnation than before,
    /// `known` must be compared with a newer look at it.
    func fits(_ cursor: Cursor, zone: String) -> Bool {
      zones.withLock { zones in
        guard let state = zones[zone] else { return true }
        let isBehind = state.known.contains { $0.generation == cursor.generation && $0.sequence > cursor.sequence }
        return !isBehind && (state.known.isEmpty || state.verified == cursor.generation)
      }
    }

    /// How far the zone had come in an incarnation.
    func furthest(of generation: UInt64, zone: String) -> Int64 {
      zones.withLock { $0[zone]?.known.last { $0.generation == generation }?.sequence ?? 0 }
    }

    /// The tag of a number, 0 where it is not known here.
    func tag(of sequence: Int64, _ generation: UInt64, zone: String) -> UInt64 {
      zones.withLock { $0[zone]?.known.last { $0.generation == generation && $0.sequence == sequence }?.tag ?? 0 }
    }

    /// Cursors that the zone has had.
    func known(zone: String) -> [Cursor] { zones.withLock { $0[zone]?.known ?? [] } }

    /// Everything that was known has been found in this incarnation.
    func verify(_ generation: UInt64, zone: String) {
      zones.withLock { $0[zone, default: Zone()].verified = generation }
    }

    /// The zone has gone back: what was known of it is void, and the next change begins an incarnation.
    func goBack(zone: String) { zones.withLock { $0[zone] = nil } }
  }
#endif
