#if Network
  import Metrics
  import SyncCore
  import SyncEngine
  import Synchronization

  /// The state of synchronization as gauges and counters of swift-metrics. They are reported to the metrics system that
  /// the app has bootstrapped.
  ///
  /// ```swift
  /// let metrics = SyncMetrics(zone: "PomodoroZone")
  /// let session = try await SyncSession.open(…) { _, machine in
  ///   metrics.record(machine.status(atMilliseconds: clock.nowMilliseconds()))
  /// }
  /// ```
  /// Gauges: `sync_outbox_items`, `sync_outbox_age_seconds`, `sync_parked`, `sync_last_success_seconds` (since 1970),
  /// `sync_channel_up`, `sync_paused`, `sync_degrade_level` (0 to 2), `sync_requests_in_hour`,
  /// `sync_requests_per_hour_limit`, `sync_bytes_in_day`, `sync_bytes_per_day_limit`, `sync_clock_offset_seconds`.
  /// Counters: `sync_actions`, `sync_acknowledged`, `sync_requests`, and `sync_conflicts` with the dimension `rule`.
  /// All of them have the dimension `zone`.
  public final class SyncMetrics: Sendable {
    private let gauges: [(gauge: Gauge, value: @Sendable (SyncStatus) -> Double)]
    private let counters: [(counter: Counter, value: @Sendable (SyncStatistics) -> Int64)]
    private let counted: Mutex<SyncStatistics?>

    /// Creates the gauges and counters. Counters count from the first recorded status.
    public init(zone: String, factory: any MetricsFactory = MetricsSystem.factory) {
      let place = [("zone", zone)]
      gauges = Self.gauges.map { (Gauge(label: $0.label, dimensions: place, factory: factory), $0.value) }
      let conflicts = ConflictRule.allCases.map { rule in
        (
          Counter(label: "sync_conflicts", dimensions: place + [("rule", rule.rawValue)], factory: factory),
          { @Sendable (statistics: SyncStatistics) in statistics.conflicts[rule] ?? 0 }
        )
      }
      counters =
        Self.counters.map { (Counter(label: $0.label, dimensions: place, factory: factory), $0.value) } + conflicts
      counted = Mutex(nil)
    }

    /// Sets the gauges and increments the counters by the changes since the last call.
    public func record(_ status: SyncStatus) {
      for (gauge, value) in gauges { gauge.record(value(status)) }
      let before = counted.withLock { counted in
        defer { counted = status.statistics }
        return counted
      }
      guard let before else { return }
      for (counter, value) in counters {
        let more = value(status.statistics) - value(before)
        if more > 0 { counter.increment(by: more) }
      }
    }

    private static let gauges: [(label: String, value: @Sendable (SyncStatus) -> Double)] = [
      ("sync_outbox_items", { Double($0.outboxDepth) }),
      ("sync_outbox_age_seconds", { Double($0.outboxAgeMilliseconds) / 1000 }),
      ("sync_parked", { Double($0.parked.count) }),
      ("sync_last_success_seconds", { Double($0.lastSuccessMilliseconds ?? 0) / 1000 }),
      ("sync_channel_up", { $0.isChannelUp ? 1 : 0 }), ("sync_paused", { $0.pausedBecause == nil ? 0 : 1 }),
      ("sync_degrade_level", { Double($0.level.rawValue) }),
      ("sync_requests_in_hour", { Double($0.requestsInHour) }),
      ("sync_requests_per_hour_limit", { Double($0.limits.requestsPerHour) }),
      ("sync_bytes_in_day", { Double($0.bytesInDay) }),
      ("sync_bytes_per_day_limit", { Double($0.limits.bytesPerDay) }),
      ("sync_clock_offset_seconds", { Double($0.clockOffsetMilliseconds) / 1000 }),
    ]

    private static let counters: [(label: String, value: @Sendable (SyncStatistics) -> Int64)] = [
      ("sync_actions", { $0.actions }), ("sync_acknowledged", { $0.acknowledged }),
      ("sync_requests", { $0.requests }),
    ]
  }
#endif
