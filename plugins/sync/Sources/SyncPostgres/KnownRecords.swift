#if Network
  import SyncCore
  import Synchronization

  /// A cache of records that this server has recently read or written, which saves a commit the round trip to read
  /// them. A cached record may be outdated: a change is stored only if the database still has the same record.
  /// Otherwise, the commit is decided again.
  final class KnownRecords: Sendable {
    /// The cached state of a record.
    struct Known: Sendable {
      var record: SyncRecord
      var generation: UInt64
      var dropped: Dropped
      var serverMilliseconds: Int64
    }

    /// The maximum number of cached records. Records whose packed cell is larger than `bytesLimit` are not cached.
    private static let limit = 4096
    private static let bytesLimit = 4096
    /// The maximum number of collections with cached rules.
    private static let rulesLimit = 1024
    /// The maximum age of a reading of the database's clock, in seconds. Until then, the clock is extrapolated from it.
    private static let clockSeconds = 10

    private struct Zone {
      var generation: UInt64
      var dropped: Dropped
      var clock: (milliseconds: Int64, at: ContinuousClock.Instant)
      var records: [RecordKey: SyncRecord] = [:]
    }

    private struct State {
      var zones: [String: Zone] = [:]
      var count = 0
      /// The parsed rules by zone and collection, each with the cell that contains them.
      var rules: [String: [String: (cell: Cell?, rules: ZoneRules)]] = [:]
      var rulesCount = 0
    }

    private let state = Mutex(State())

    /// Returns the cached record. Returns nil if it is not cached or its zone's clock was read too long ago.
    func look(_ key: RecordKey, zone: String) -> Known? {
      state.withLock { state in
        guard let known = state.zones[zone], let record = known.records[key] else { return nil }
        let age = known.clock.at.duration(to: .now)
        guard age < .seconds(Self.clockSeconds) else { return nil }
        return Known(
          record: record, generation: known.generation, dropped: known.dropped,
          serverMilliseconds: known.clock.milliseconds + Int64(age / .milliseconds(1)))
      }
    }

    /// Returns the rules that a cell contains. The same cell is parsed only once.
    func rules(of collection: String, zone: String, _ cell: Cell?) -> ZoneRules {
      state.withLock { state in
        if let known = state.rules[zone]?[collection], known.cell == cell { return known.rules }
        let rules = ZoneRules(collection: collection, cell: cell)
        if state.rulesCount >= Self.rulesLimit { (state.rules, state.rulesCount) = ([:], 0) }
        let before = state.rules[zone, default: [:]].updateValue((cell, rules), forKey: collection)
        if before == nil { state.rulesCount += 1 }
        return rules
      }
    }

    /// Caches a record that has just been read. `bytes` is the size of its packed cell.
    func read(
      _ record: SyncRecord?, bytes: Int, zone: String, generation: UInt64, dropped: Dropped, serverMilliseconds: Int64
    ) {
      state.withLock { state in
        if state.zones[zone]?.generation != generation || state.zones[zone]?.dropped != dropped {
          Self.forget(zone, &state)
          state.zones[zone] = Zone(generation: generation, dropped: dropped, clock: (serverMilliseconds, .now))
        }
        state.zones[zone]?.clock = (serverMilliseconds, .now)
        if let record { Self.keep(record, bytes, zone, &state) }
      }
    }

    /// Caches a record that has just been written. `bytes` is the size of its packed cell.
    func wrote(_ record: SyncRecord, bytes: Int, zone: String, generation: UInt64) {
      state.withLock { state in
        if state.zones[zone]?.generation == generation {
          Self.keep(record, bytes, zone, &state)
        } else {
          Self.forget(zone, &state)
        }
      }
    }

    func forget(zone: String) { state.withLock { Self.forget(zone, &$0) } }

    private static func keep(_ record: SyncRecord, _ bytes: Int, _ zone: String, _ state: inout State) {
      guard bytes <= bytesLimit else {
        if state.zones[zone]?.records.removeValue(forKey: record.key) != nil { state.count -= 1 }
        return
      }
      if state.count >= limit { state = State(zones: state.zones.mapValues(emptied)) }
      if state.zones[zone]?.records.updateValue(record, forKey: record.key) == nil { state.count += 1 }
    }

    private static func emptied(_ zone: Zone) -> Zone {
      var zone = zone
      zone.records = [:]
      return zone
    }

    private static func forget(_ zone: String, _ state: inout State) {
      state.count -= state.zones.removeValue(forKey: zone)?.records.count ?? 0
    }
  }
#endif
